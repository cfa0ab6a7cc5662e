-- Version 4: the list of projects.

-- One row per folder that was ever listed. `slug` is given once and never to another folder;
-- a project that was taken off the list keeps its row with `listed` 0, and is listed under the
-- same slug when it comes back. `projects` of version 1 is where sessions were made; a folder
-- can be in either table without the other.
CREATE TABLE project_list (
    id       TEXT PRIMARY KEY,
    path     TEXT NOT NULL,
    slug     TEXT NOT NULL UNIQUE,
    title    TEXT,
    listed   INTEGER NOT NULL,
    added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
