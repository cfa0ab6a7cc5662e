-- Version 3: sign-in. No secret stands here: tokens and links as SHA-256, the PIN as argon2.

-- `via` is what the device signed in with; `let_in_by` is who made its link: a device's id,
-- `token` or `terminal`.
CREATE TABLE devices (
    id           BLOB PRIMARY KEY,
    hash         BLOB NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    scope        TEXT NOT NULL,
    via          TEXT NOT NULL,
    let_in_by    TEXT,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
    hash       BLOB PRIMARY KEY,
    scope      TEXT NOT NULL,
    made_by    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- PINs that were tried and were wrong, or whose answer is not known because Baton ended
-- first. `address` is '' once the right one came from there: it still counts in all.
CREATE TABLE attempts (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    address TEXT NOT NULL
) STRICT;

-- `pin` is the PIN's argon2 hash; `token` is the SHA-256 of the API token as it was last seen.
CREATE TABLE sign_in (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
