//! What a call that was not allowed gives back.
//!
//! Newer versions write before the reason that a hook has failed, because the
//! gate is a hook to them. Nothing has failed, and people read it.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Translator;

/// How many are remembered; more calls do not wait for their results at once.
const REMEMBERED: usize = 64;
const BEGINNING: &str = "PreToolUse:";
const FAILED: &str = " hook error: ";

impl Translator {
    /// The CLI is told no, for this reason.
    pub(super) fn denies(&mut self, reason: &str) {
        let known = hash(reason);
        if !self.denials.contains(&known) {
            if self.denials.len() == REMEMBERED {
                self.denials.pop_front();
            }
            self.denials.push_back(known);
        }
    }

    /// A result without what the CLI wrote before a reason of ours. A hook of
    /// the user's own speaks for itself.
    pub(super) fn in_our_words(&self, output: String) -> String {
        let reason = output
            .strip_prefix(BEGINNING)
            .and_then(|rest| rest.split_once(FAILED))
            .map(|(_, reason)| reason);
        match reason {
            Some(reason) if self.denials.contains(&hash(reason)) => reason.to_owned(),
            Some(_) | None => output,
        }
    }
}

fn hash(reason: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    reason.trim().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reasons_that_were_given_lose_what_stands_before_them() {
        let mut translator = Translator::default();
        translator.denies("The rule forbids this.");
        let said = |text: &str| translator.in_our_words(text.to_owned());
        let ours = "PreToolUse:Bash hook error: The rule forbids this.";
        assert_eq!(said(ours), "The rule forbids this.");
        for other in [
            "PreToolUse:Bash hook error: [check.sh]: no",
            "The rule forbids this.",
            "PreToolUse:Bash",
        ] {
            assert_eq!(said(other), other);
        }
        for number in 0..REMEMBERED {
            translator.denies(&number.to_string());
        }
        assert_eq!(translator.in_our_words(ours.to_owned()), ours);
        assert_eq!(translator.denials.len(), REMEMBERED);
    }
}
