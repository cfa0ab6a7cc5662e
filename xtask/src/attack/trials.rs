//! The situations that every line is judged in, and what each forbids.

use baton_protocol::words::PermissionMode;

use super::gate::{Outcome, Question, Setting, offered};
use super::oracle::{Forbids, Permitted};
use super::sandbox::Sandbox;

/// One situation.
pub(super) struct Trial {
    pub(super) name: String,
    by: By,
    pub(super) forbids: Forbids,
}

enum By {
    /// The list of commands that change nothing.
    List,
    Setting(Setting),
}

impl Trial {
    /// Whether the line runs there and nobody is asked.
    pub(super) fn passes(&self, question: &Question) -> bool {
        match &self.by {
            By::List => question.reads_only(),
            By::Setting(setting) => setting.outcome(question) == Outcome::Passes,
        }
    }
}

/// What rules deny, and what that forbids.
const DENIALS: &[(&str, Forbids)] = &[
    ("Bash(rm:*)", Forbids::Program("rm")),
    ("Bash(evil:*)", Forbids::Program("evil")),
    ("Bash(git push:*)", Forbids::Pushing),
    ("Read(.env)", Forbids::Reading(".env")),
    ("Read(sub/**)", Forbids::Reading("sub")),
    ("Edit(.env)", Forbids::Editing(".env")),
    ("Edit(sub/**)", Forbids::Editing("sub")),
];

/// Programs that the everyday list has only beside others; alone, a rule is
/// offered for each.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "base64 README.md", "cksum README.md", "column README.md", "comm x.sh README.md", "cut -c 1 README.md",
    "date -d yesterday", "expand README.md", "fmt README.md", "fold README.md", "hexdump README.md",
    "hostname -I", "join x.sh README.md", "od README.md", "paste README.md", "printf x", "rev README.md",
    "sort README.md", "strings README.md", "tac README.md", "tr a b", "type ls", "unexpand README.md",
    "uniq README.md", "xxd README.md", "jq -n 1", "file README.md", "ps", "nl README.md", "awk 1 README.md",
    "sed -n 1p README.md", "test -f x", "git grep -n first", "git rev-list HEAD", "git cat-file -p HEAD",
];

/// All situations.
pub(super) struct Trials {
    /// Those that are the same for every line.
    fixed: Vec<Trial>,
    /// Those after one everyday command was answered, in the order of the list;
    /// after them, those of [`ALONE`].
    answered: Vec<Trial>,
}

impl Trials {
    pub(super) fn new(everyday: &[String], sandbox: &mut Sandbox) -> anyhow::Result<Self> {
        let mut fixed = fixed()?;
        let mut answered = Vec::new();
        let mut all = Setting::new(PermissionMode::Default, "")?;
        let mut done = Permitted::default();
        for line in everyday
            .iter()
            .map(String::as_str)
            .chain(ALONE.iter().copied())
        {
            let mut setting = Setting::new(PermissionMode::Default, "")?;
            let mut permitted = Permitted::default();
            setting.rules = offered(line)?;
            if !setting.rules.is_empty() {
                let deeds = sandbox.run(line)?;
                permitted.add(line, &deeds);
                done.add(line, &deeds);
            }
            for rule in &setting.rules {
                if !all.rules.contains(rule) {
                    all.rules.push(rule.clone());
                }
            }
            answered.push(Trial {
                name: "default, the rules offered for one command".to_owned(),
                by: By::Setting(setting),
                forbids: Forbids::Beyond(permitted),
            });
        }
        fixed.push(Trial {
            name: "default, all rules offered for everyday commands".to_owned(),
            by: By::Setting(all),
            forbids: Forbids::Beyond(done),
        });
        Ok(Self { fixed, answered })
    }

    /// Those that are the same for every line, by their number.
    pub(super) fn fixed(&self) -> impl Iterator<Item = (usize, &Trial)> {
        self.fixed.iter().enumerate()
    }

    /// The one after this everyday command was answered, by its number.
    pub(super) fn after(&self, answered: usize) -> (usize, &Trial) {
        (self.fixed.len() + answered, &self.answered[answered])
    }

    pub(super) fn numbered(&self, number: usize) -> &Trial {
        self.fixed
            .get(number)
            .unwrap_or_else(|| &self.answered[number - self.fixed.len()])
    }

    /// The everyday command that was answered in this situation, if it is one of those.
    pub(super) fn answered_in(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.fixed.len())
    }
}

fn fixed() -> anyhow::Result<Vec<Trial>> {
    let mut trials = vec![Trial {
        name: "the list of commands that change nothing".to_owned(),
        by: By::List,
        forbids: Forbids::Changing,
    }];
    for mode in [
        PermissionMode::Plan,
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::DontAsk,
        PermissionMode::Auto,
    ] {
        trials.push(Trial {
            name: format!("{mode}, no rules"),
            by: By::Setting(Setting::new(mode, "")?),
            forbids: Forbids::Leaving,
        });
    }
    let bypass = PermissionMode::BypassPermissions;
    let default = PermissionMode::Default;
    for (rule, forbids) in DENIALS {
        for (name, mode, others) in [
            ("bypass, deny", bypass, ""),
            (
                "default, allow Bash, deny",
                default,
                "allow Bash\nallow Edit\n",
            ),
            (
                "default, allow Bash, ask",
                default,
                "allow Bash\nallow Edit\n",
            ),
        ] {
            let decision = name.rsplit(' ').next().unwrap_or_default();
            let rules = format!("{others}{decision} {rule}");
            trials.push(Trial {
                name: format!("{name} {rule}"),
                by: By::Setting(Setting::new(mode, &rules)?),
                forbids: forbids.clone(),
            });
        }
    }
    Ok(trials)
}
