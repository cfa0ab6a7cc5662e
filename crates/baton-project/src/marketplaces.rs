//! Folders that settings of the CLI name as marketplaces: their plugins are
//! loaded from where they lie.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// Settings that name marketplaces.
pub(crate) const KEYS: &[&str] = &["additionalMarketplaces", "extraKnownMarketplaces"];

/// Those of whole settings, as seen from `base`.
pub fn folders(settings: &Map<String, Value>, base: &Path) -> Vec<PathBuf> {
    let lists = KEYS.iter().filter_map(|key| settings.get(*key));
    lists.flat_map(|list| folders_of(list, base)).collect()
}

/// Those of one of these settings.
pub(crate) fn folders_of(list: &Value, base: &Path) -> Vec<PathBuf> {
    let paths = paths(list).into_iter();
    paths
        .map(|path| base.join(path).components().collect())
        .collect()
}

/// Every `path` in a value.
fn paths(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("path").and_then(Value::as_str);
            let below = fields.values().flat_map(paths);
            own.into_iter().chain(below).collect()
        }
        Value::Array(values) => values.iter().flat_map(paths).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_folder_is_found_from_where_the_settings_lie() {
        let settings = json!({
            "extraKnownMarketplaces": {"m": {"source": {"source": "directory", "path": "./mk"}}},
            "additionalMarketplaces": [{"path": "/elsewhere"}, {"source": "github", "repo": "a/b"}],
            "env": {"path": "not this"},
        });
        let found = folders(settings.as_object().unwrap(), Path::new("/p"));
        assert_eq!(found, [Path::new("/elsewhere"), Path::new("/p/mk")]);
    }
}
