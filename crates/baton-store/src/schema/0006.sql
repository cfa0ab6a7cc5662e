-- Version 6: what each device's sign-in rests on.

-- `root` is where the chain of those who let each other in begins: `pin`, `token`, `terminal`,
-- or `unknown` where somebody in it has left already. It stays when they leave.
ALTER TABLE devices ADD COLUMN root TEXT NOT NULL DEFAULT 'unknown';
UPDATE devices SET root = via WHERE via IN ('pin', 'token');
UPDATE devices SET root = let_in_by WHERE let_in_by IN ('token', 'terminal');
WITH RECURSIVE chain (id, root) AS (
    SELECT id, root FROM devices WHERE root <> 'unknown'
    UNION
    SELECT devices.id, chain.root FROM devices
    JOIN chain ON devices.let_in_by = 'dev_' || lower(hex(chain.id))
)
UPDATE devices SET root = (SELECT chain.root FROM chain WHERE chain.id = devices.id)
WHERE root = 'unknown' AND id IN (SELECT id FROM chain);

-- Whether the value is the configuration's, and goes with it.
ALTER TABLE sign_in ADD COLUMN configured INTEGER NOT NULL DEFAULT 0;
