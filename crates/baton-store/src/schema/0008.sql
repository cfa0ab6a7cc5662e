-- Version 8: a link that shows one session.

-- The one session that the device sees, and until when it may; none for others.
ALTER TABLE devices ADD COLUMN session BLOB;
ALTER TABLE devices ADD COLUMN expires_at INTEGER;
