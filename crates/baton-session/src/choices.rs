//! What agents let people choose: models, how hard those try, commands. Each
//! process tells it when it comes up. The last answer is remembered, also by
//! the next daemon, for whoever chooses before there is a process.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use baton_protocol::{
    api::{ModelChoice, SlashCommand},
    words::Json,
};
use serde::{Deserialize, Serialize};

use crate::agents::AgentKind;

/// What one agent lets people choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Choices {
    /// Of the program that told it, where it said so.
    pub version: Option<String>,
    pub models: Vec<ModelChoice>,
    /// Those that it has in every folder: told where a folder brought none.
    pub commands: Vec<SlashCommand>,
}

/// The last answers, one for each agent, in a folder of files.
#[derive(Debug)]
pub(crate) struct LastChoices {
    folder: PathBuf,
    known: Mutex<BTreeMap<AgentKind, Choices>>,
}

impl LastChoices {
    /// In the data folder.
    pub(crate) fn of(data: &Path) -> Self {
        let folder = data.join("choices");
        let read = |kind: &AgentKind| {
            let bytes = fs::read(file(&folder, *kind)).ok()?;
            Some((*kind, serde_json::from_slice(&bytes).ok()?))
        };
        let known = AgentKind::ALL.iter().filter_map(read).collect();
        Self {
            known: Mutex::new(known),
            folder,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<AgentKind, Choices>> {
        // A panic leaves whole entries behind.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last answer, unless it is known to be another version's.
    pub(crate) fn get(&self, kind: AgentKind, version: Option<&str>) -> Choices {
        let known = self.lock().get(&kind).cloned().unwrap_or_default();
        match may_be_of(known.version.as_deref(), version) {
            true => known,
            false => Choices::default(),
        }
    }

    /// What a process told of itself. `bare` if its folder added nothing to it.
    pub(crate) fn told(&self, kind: AgentKind, greeting: &Json, bare: bool) {
        let Some(mut told) = kind.choices(greeting) else {
            return;
        };
        let mut known = self.lock();
        let last = known.get(&kind);
        if !bare {
            // Another version had other commands.
            let same = last.filter(|last| last.version == told.version);
            told.commands = same.map(|last| last.commands.clone()).unwrap_or_default();
        }
        if last == Some(&told) {
            return;
        }
        // Only a convenience: what cannot be kept is told again.
        if let Err(error) = self.keep(kind, &told) {
            tracing::warn!(%error, "what an agent lets one choose cannot be kept");
        }
        known.insert(kind, told);
    }

    fn keep(&self, kind: AgentKind, told: &Choices) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let path = file(&self.folder, kind);
        let new = path.with_extension("new");
        fs::write(&new, Json::of(told).text())?;
        fs::rename(&new, &path)
    }
}

/// Whether what a program of the version `told` said may be said of the one that
/// is there `now`, which says more than its number: `2.1.32 (Claude Code)`.
pub fn may_be_of(told: Option<&str>, now: Option<&str>) -> bool {
    let is_in = |(told, now): (&str, &str)| now.split_whitespace().any(|word| word == told);
    told.zip(now).is_none_or(is_in)
}

fn file(folder: &Path, kind: AgentKind) -> PathBuf {
    folder.join(format!("{}.json", kind.name()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn greeting(command: &str) -> Json {
        Json::of(&json!({
            "commands": [{"name": command, "description": "Does it", "argumentHint": ""}],
            "models": [
                {"value": "default", "displayName": "Default", "description": "Opus"},
                {"value": "opus[1m]", "displayName": "Opus", "description": "Most capable",
                 "supportsEffort": true, "supportedEffortLevels": ["low", "high"]},
            ],
            "claude_code_version": "2.1.325",
        }))
    }

    #[test]
    fn the_last_answer_outlives_the_daemon_and_no_update() {
        let data = tempfile::tempdir().unwrap();
        LastChoices::of(data.path()).told(AgentKind::Claude, &greeting("compact"), true);
        let next = LastChoices::of(data.path());
        let known = next.get(AgentKind::Claude, Some("2.1.325 (Claude Code)"));
        assert_eq!(known.models[1].value, "opus[1m]");
        assert_eq!(known.models[1].name, "Opus");
        assert_eq!(known.models[1].efforts, ["low", "high"]);
        assert_eq!(known.commands[0].name, "compact");
        assert_eq!(known, next.get(AgentKind::Claude, None));
        let updated = next.get(AgentKind::Claude, Some("2.2.0 (Claude Code)"));
        assert_eq!(updated, Choices::default());
    }

    #[test]
    fn what_one_folder_adds_is_not_told_of_others() {
        let data = tempfile::tempdir().unwrap();
        let choices = LastChoices::of(data.path());
        choices.told(AgentKind::Claude, &greeting("deploy-shop"), false);
        let known = choices.get(AgentKind::Claude, None);
        assert_eq!((known.models.len(), known.commands.len()), (2, 0));
        choices.told(AgentKind::Claude, &greeting("compact"), true);
        choices.told(AgentKind::Claude, &greeting("deploy-shop"), false);
        let known = choices.get(AgentKind::Claude, None);
        assert_eq!(known.commands[0].name, "compact");
    }

    #[test]
    fn a_version_is_another_though_its_number_begins_alike() {
        let data = tempfile::tempdir().unwrap();
        let choices = LastChoices::of(data.path());
        choices.told(AgentKind::Claude, &greeting("compact"), true);
        let later = choices.get(AgentKind::Claude, Some("2.1.3251 (Claude Code)"));
        assert_eq!(later, Choices::default());
        let other = choices.get(AgentKind::Claude, Some("12.1.325 (Claude Code)"));
        assert_eq!(other, Choices::default());
    }

    #[test]
    fn commands_of_another_version_are_not_told_as_this_ones() {
        let data = tempfile::tempdir().unwrap();
        let choices = LastChoices::of(data.path());
        choices.told(AgentKind::Claude, &greeting("compact"), true);
        let mut newer = greeting("deploy-shop").value();
        newer["claude_code_version"] = json!("2.2.0");
        choices.told(AgentKind::Claude, &Json::of(&newer), false);
        let known = choices.get(AgentKind::Claude, Some("2.2.0 (Claude Code)"));
        assert_eq!((known.models.len(), known.commands.len()), (2, 0));
    }

    #[test]
    fn an_agent_that_tells_no_models_has_none() {
        let data = tempfile::tempdir().unwrap();
        let choices = LastChoices::of(data.path());
        choices.told(AgentKind::Demo, &greeting("x"), true);
        assert_eq!(choices.get(AgentKind::Demo, None), Choices::default());
    }
}
