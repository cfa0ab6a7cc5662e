//! Secrets that sessions were made with, kept apart from the log: the log is
//! shown, exported and copied, and these are for the agent alone. One private
//! file for each session that has any, in the data folder.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use baton_protocol::{
    SessionId,
    event::SessionOptions,
    mask::{self, Hidden, MASK},
    words::Json,
};
use serde_json::{Map, Value};

/// The folder of these files.
#[derive(Debug, Clone)]
pub(crate) struct Vault {
    folder: PathBuf,
}

impl Vault {
    /// In the data folder.
    pub(crate) fn of(data: &Path) -> Self {
        Self {
            folder: data.join("secrets"),
        }
    }

    /// Keeps what must not be in the log, in place of what was kept before;
    /// gives the options as the log has them. It is on the disk when this is
    /// done, so that nothing in the log waits for it in vain.
    pub(crate) fn part(
        &self,
        id: SessionId,
        options: &SessionOptions,
    ) -> io::Result<SessionOptions> {
        let (shown, hidden) = mask::hide(options);
        if hidden.is_empty() {
            self.remove(id);
        } else {
            self.write(id, &hidden)?;
        }
        Ok(shown)
    }

    /// The options as they were given, for whoever starts a process with them.
    /// A server or a variable whose secrets are gone is left out: it could not
    /// be used.
    pub(crate) fn whole(&self, id: SessionId, shown: &SessionOptions) -> SessionOptions {
        let whole = match self.read(id) {
            Ok(Some(hidden)) => hidden.put_back(shown),
            Ok(None) => shown.clone(),
            Err(error) => {
                tracing::warn!(%id, %error, "the secrets of a session cannot be read");
                shown.clone()
            }
        };
        without_masked_variables(id, without_masked_servers(id, whole))
    }

    /// Forgets a session.
    pub(crate) fn remove(&self, id: SessionId) {
        match fs::remove_file(self.path(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%id, %error, "the secrets of a session cannot be removed");
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Sessions that something is kept of.
    pub(crate) fn sessions(&self) -> Vec<SessionId> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names
            .filter_map(|name| name.strip_suffix(".json")?.parse().ok())
            .collect()
    }

    fn path(&self, id: SessionId) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn read(&self, id: SessionId) -> io::Result<Option<Hidden>> {
        let text = match fs::read(self.path(id)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let fields: Map<String, Value> = serde_json::from_slice(&text)?;
        Ok(Some(Hidden(fields)))
    }

    fn write(&self, id: SessionId, hidden: &Hidden) -> io::Result<()> {
        let mut make = DirBuilder::new();
        make.recursive(true).mode(0o700).create(&self.folder)?;
        let new = self.folder.join(format!("{id}.new"));
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut open = File::options();
        open.write(true).create_new(true).mode(0o600);
        let mut file = open.open(&new)?;
        file.write_all(&serde_json::to_vec(&hidden.0)?)?;
        file.sync_all()?;
        fs::rename(&new, self.path(id))?;
        File::open(&self.folder)?.sync_all()
    }
}

fn without_masked_servers(id: SessionId, options: SessionOptions) -> SessionOptions {
    let Some(Value::Object(mut servers)) = options.mcp_servers.as_ref().map(Json::value) else {
        return options;
    };
    let before = servers.len();
    servers.retain(|_, server| !server.to_string().contains(MASK));
    if servers.len() == before {
        return options;
    }
    tracing::warn!(%id, "MCP servers are left out, because their secrets are not there any more");
    SessionOptions {
        mcp_servers: Some(Json::of(&servers)),
        ..options
    }
}

fn without_masked_variables(id: SessionId, mut options: SessionOptions) -> SessionOptions {
    let Some(variables) = &mut options.env else {
        return options;
    };
    let before = variables.len();
    variables.retain(|_, value| value != MASK);
    if variables.len() != before {
        tracing::warn!(%id, "variables are left out, because their values are not there any more");
    }
    options
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;
    use tempfile::TempDir;
    use uuid::Uuid;

    use super::*;

    fn options(secret: &str) -> SessionOptions {
        SessionOptions {
            model: Some("opus".into()),
            mcp_servers: Some(Json::of(&json!({
                "web": {"type": "http", "url": "https://x.example", "headers": {"A": secret}},
                "plain": {"command": "true"},
            }))),
            ..SessionOptions::default()
        }
    }

    #[test]
    fn what_is_taken_out_is_private_and_comes_back_whole() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::of(dir.path());
        let id = SessionId::from_uuid(Uuid::from_u128(7));
        let shown = vault.part(id, &options("one")).unwrap();
        assert!(!serde_json::to_string(&shown).unwrap().contains("one"));
        assert_eq!(vault.whole(id, &shown), options("one"));
        let file = dir.path().join("secrets").join(format!("{id}.json"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(file.parent().unwrap()), 0o700);
        // Others take its place, and nothing is left of none.
        let shown = vault.part(id, &options("two")).unwrap();
        assert_eq!(vault.whole(id, &shown), options("two"));
        assert_eq!(vault.sessions(), [id]);
        vault.part(id, &SessionOptions::default()).unwrap();
        assert_eq!((vault.sessions(), file.exists()), (vec![], false));
    }

    #[test]
    fn variables_are_in_no_log_and_go_with_their_file() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::of(dir.path());
        let id = SessionId::from_uuid(Uuid::from_u128(7));
        let all = [("LANG", "C"), ("A", "b c")];
        let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let whole = SessionOptions {
            env: Some(all.into()),
            ..SessionOptions::default()
        };
        let shown = vault.part(id, &whole).unwrap();
        let told = serde_json::to_value(&shown).unwrap();
        assert_eq!(told, json!({"env": {"LANG": MASK, "A": MASK}}));
        assert_eq!(vault.whole(id, &shown), whole);
        vault.remove(id);
        assert_eq!(vault.whole(id, &shown).env, Some([].into()));
    }

    #[test]
    fn a_server_whose_secrets_are_gone_is_left_out() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::of(dir.path());
        let id = SessionId::from_uuid(Uuid::from_u128(7));
        let shown = vault.part(id, &options("one")).unwrap();
        vault.remove(id);
        let left = vault.whole(id, &shown).mcp_servers.unwrap().value();
        assert_eq!(left, json!({"plain": {"command": "true"}}));
    }
}
