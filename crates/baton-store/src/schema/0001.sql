-- Version 1. Released migrations are never edited; a change is a new file.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    id           TEXT PRIMARY KEY,
    path         TEXT NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `row` is the whole projection as JSON; the columns are what queries sort and filter by.
-- `active_s` is the last activity in whole seconds, so that its index changes once a second
-- and not with every event.
CREATE TABLE sessions (
    key         INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    project     TEXT NOT NULL REFERENCES projects (id),
    state       TEXT NOT NULL,
    active_s    INTEGER NOT NULL,
    ended_at    INTEGER,
    event_count INTEGER NOT NULL,
    last_seq_no INTEGER NOT NULL,
    row         TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_activity ON sessions (active_s, key);

-- `text` is the envelope as every reader gets it, byte for byte.
CREATE TABLE events (
    seq_no  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    text    TEXT NOT NULL,
    UNIQUE (session, seq)
) STRICT;

CREATE TABLE messages (
    session INTEGER NOT NULL,
    id      BLOB NOT NULL,
    seq     INTEGER NOT NULL,
    state   TEXT NOT NULL,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
    id            BLOB PRIMARY KEY,
    session       INTEGER NOT NULL,
    requested_seq INTEGER NOT NULL,
    resolved_seq  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_session ON approvals (session, requested_seq);
CREATE INDEX approvals_open ON approvals (session, requested_seq) WHERE resolved_seq IS NULL;

-- `position` and `translator` are the journal mark: how far this holder's journal is in `events`.
CREATE TABLE holders (
    id         BLOB PRIMARY KEY,
    session    INTEGER NOT NULL,
    facts      TEXT NOT NULL,
    position   INTEGER NOT NULL,
    translator TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX holders_by_session ON holders (session);

CREATE TABLE requests (
    session    INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    holder     BLOB NOT NULL REFERENCES holders (id) ON DELETE CASCADE,
    approval   BLOB,
    body       TEXT NOT NULL,
    answer     TEXT,
    PRIMARY KEY (session, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_holder ON requests (holder);

-- A blob is named by its bytes, so a session has each of them once.
CREATE TABLE blobs (
    key        INTEGER PRIMARY KEY,
    session    INTEGER NOT NULL,
    id         BLOB NOT NULL,
    media_type TEXT NOT NULL,
    bytes      BLOB NOT NULL,
    UNIQUE (session, id)
) STRICT;

-- The rowid is the event's seq_no. Hits are ordered by it, so sizes for ranking are not kept;
-- merging seldom keeps commits that carry a message short.
CREATE VIRTUAL TABLE search USING fts5 (
    body,
    columnsize = 0,
    tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO search (search, rank) VALUES ('automerge', 16);
