-- Version 7: a message can be found without knowing its session.

-- A session that is made anew with the same first message is the same session.
CREATE INDEX messages_by_id ON messages (id);
