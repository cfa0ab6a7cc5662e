//! How much a call could do, for people. It decides nothing: rules and modes do.

use crate::call::{Resolved, Subject};
use crate::harmless::{self, Unsure};
use crate::judge::{Surroundings, edits_inside};
use crate::limits;
use crate::pattern::Access;
use crate::plan::is_own_plan;

/// How much a call could do, as far as it is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Known to change nothing, and to look only where the session belongs.
    Harmless,
    /// Known to change nothing, but it looks elsewhere.
    Elsewhere,
    /// It may change something.
    Changes,
    /// It is about secrets, about files outside the project, or about what the
    /// agent may do and what runs by itself.
    Guarded,
}

/// How much a call could do.
pub fn weight(resolved: &Resolved, around: &Surroundings<'_>) -> Weight {
    let inside = edits_inside(resolved, around);
    let odd = !inside || limits::may_be_obeyed(resolved, around);
    if (odd && edits(resolved, around))
        || limits::touched(resolved, around).is_some()
        || harmless::secret(resolved, around).is_some()
    {
        return Weight::Guarded;
    }
    match harmless::check(resolved, around) {
        Ok(()) => Weight::Harmless,
        Err(Unsure::Elsewhere(_)) => Weight::Elsewhere,
        Err(Unsure::Changes) => Weight::Changes,
    }
}

/// Whether a call edits a file that is not the agent's own plan.
fn edits(resolved: &Resolved, around: &Surroundings<'_>) -> bool {
    let Subject::File(call) = &resolved.subject else {
        return false;
    };
    let mut path = call.path.iter();
    call.access == Access::Edit && !path.any(|path| is_own_plan(path, around))
}
