//! What becomes of comments: a line that is written is never changed, so a
//! later one says that an earlier one is settled, open again, or gone.

use std::collections::HashMap;

use baton_protocol::{
    Timestamp,
    api::{Resolution, ReviewComment},
};
use serde::{Deserialize, Serialize};

/// A later line about an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The comment's id.
    pub comment: String,
    pub change: What,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    Resolved,
    Reopened,
    Removed,
}

impl Change {
    pub(super) fn apply(&self, comment: &mut ReviewComment) {
        comment.resolved = (self.change == What::Resolved).then(|| Resolution {
            at: self.at,
            by: self.by.clone(),
        });
    }
}

/// One line of the file.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Change(Change),
    Comment(Box<ReviewComment>),
}

/// The comments as all lines together leave them, the oldest first.
pub(super) fn folded(lines: impl Iterator<Item = Line>) -> Vec<ReviewComment> {
    let mut comments: Vec<Option<ReviewComment>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for line in lines {
        match line {
            Line::Comment(comment) => {
                places.insert(comment.id.clone(), comments.len());
                comments.push(Some(*comment));
            }
            Line::Change(change) => {
                let place = places.get(&change.comment);
                let Some(comment) = place.and_then(|at| comments.get_mut(*at)) else {
                    continue;
                };
                if change.change == What::Removed {
                    *comment = None;
                } else if let Some(comment) = comment {
                    change.apply(comment);
                }
            }
        }
    }
    comments.into_iter().flatten().collect()
}
