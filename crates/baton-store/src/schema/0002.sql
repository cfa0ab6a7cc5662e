-- Version 2: rules, trust, usage by day, checkpoints; approvals in the order of the log.

-- `scope_id` is the session's or the project's id, and null at user scope.
CREATE TABLE rules (
    id         BLOB PRIMARY KEY,
    scope      TEXT NOT NULL,
    scope_id   TEXT,
    rule       TEXT NOT NULL,
    decision   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    client     TEXT,
    approval   BLOB
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rules_alike ON rules (scope, coalesce(scope_id, ''), rule, decision);

-- What was last answered about a folder, and to which list of things that it would run.
CREATE TABLE trust (
    project  TEXT PRIMARY KEY,
    path     TEXT NOT NULL,
    digest   TEXT NOT NULL,
    accepted INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    client   TEXT
) STRICT, WITHOUT ROWID;

-- `day` counts from 1970-01-01 in UTC, `model` is '' where it is not known, and
-- `cost` is in nano-dollars: whole numbers add up to the same sum in any order.
-- Removing a session leaves what it cost.
CREATE TABLE usage (
    day                   INTEGER NOT NULL,
    project               TEXT NOT NULL,
    model                 TEXT NOT NULL,
    cost                  INTEGER NOT NULL,
    input_tokens          INTEGER NOT NULL,
    output_tokens         INTEGER NOT NULL,
    cache_read_tokens     INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    turns                 INTEGER NOT NULL,
    PRIMARY KEY (day, project, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
    session INTEGER NOT NULL,
    id      BLOB NOT NULL,
    seq     INTEGER NOT NULL,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

-- `requested_no` is the seq_no of the event that asked.
ALTER TABLE approvals ADD COLUMN requested_no INTEGER NOT NULL DEFAULT 0;
UPDATE approvals SET requested_no = coalesce((
    SELECT seq_no FROM events
    WHERE events.session = approvals.session AND events.seq = approvals.requested_seq
), 0);
CREATE INDEX approvals_by_no ON approvals (requested_no);

-- A process whose holder is gone is gone.
UPDATE sessions SET row = json_set(row, '$.pid', NULL)
WHERE json_valid(row) AND json_extract(row, '$.pid') IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM holders WHERE holders.session = sessions.key);

-- From here on: what the events before this version say. The first type in an envelope is
-- its own; looking at the first letters of it spares most events from being parsed, and what
-- is parsed decides.
CREATE TEMP TABLE told AS
SELECT session, seq, json_extract(text, '$.type') AS type, text FROM events
WHERE substr(text, instr(text, '"type":"') + 8, 13) IN (
    'turn.complete', 'checkpoint.cr', 'session.creat', 'session.start', 'model.changed'
) AND json_valid(text);

-- An event that is not as it should be is passed over: it must not keep the log from opening.
INSERT OR IGNORE INTO checkpoints (session, id, seq)
SELECT session, unhex(replace(json_extract(text, '$.payload.checkpointId'), '-', '')), min(seq)
FROM told WHERE type = 'checkpoint.created' GROUP BY 1, 2;

-- The model of a session at each of its events that names one. A start that names none
-- leaves the one before.
CREATE TEMP TABLE models AS
SELECT session, seq, CASE type
    WHEN 'session.created' THEN json_extract(text, '$.payload.options.model')
    ELSE json_extract(text, '$.payload.model') END AS model
FROM told
WHERE type IN ('session.created', 'model.changed')
OR (type = 'session.started' AND json_extract(text, '$.payload.model') IS NOT NULL);
CREATE UNIQUE INDEX temp.models_by_seq ON models (session, seq);

-- The bounds are those of `usage.rs`.
INSERT OR IGNORE INTO usage
SELECT coalesce(unixepoch(json_extract(text, '$.ts')), 0) / 86400,
    json_extract(text, '$.projectId'),
    coalesce((
        SELECT model FROM models
        WHERE models.session = told.session AND models.seq < told.seq
        ORDER BY models.seq DESC LIMIT 1
    ), ''),
    sum(CAST(round(max(0, min(1000000, coalesce(
        json_extract(text, '$.payload.costUsd'), 0))) * 1000000000) AS INTEGER)),
    sum(CAST(min(1000000000000, coalesce(
        json_extract(text, '$.payload.usage.inputTokens'), 0)) AS INTEGER)),
    sum(CAST(min(1000000000000, coalesce(
        json_extract(text, '$.payload.usage.outputTokens'), 0)) AS INTEGER)),
    sum(CAST(min(1000000000000, coalesce(
        json_extract(text, '$.payload.usage.cacheReadInputTokens'), 0)) AS INTEGER)),
    sum(CAST(min(1000000000000, coalesce(
        json_extract(text, '$.payload.usage.cacheCreationInputTokens'), 0)) AS INTEGER)),
    count(*)
FROM told WHERE type = 'turn.completed'
GROUP BY 1, 2, 3;

DROP TABLE temp.models;
DROP TABLE temp.told;
