-- Version 5: sessions that are no longer in the log.

-- A removed session leaves this behind and nothing else: that it was there, how long it was,
-- when it went, and who removed it. `client` is null where retention did. `number` counts up
-- in the order of removal, so that a reader can ask for what it has not seen.
CREATE TABLE removed_sessions (
    number     INTEGER PRIMARY KEY,
    id         BLOB NOT NULL UNIQUE,
    project    TEXT NOT NULL,
    title      TEXT,
    events     INTEGER NOT NULL,
    removed_at INTEGER NOT NULL,
    client     TEXT
) STRICT;
