//! Why somebody was not let in, or sign-in was not changed.

use std::{io, path::PathBuf, time::Duration};

use baton_protocol::api::{Problem, ProblemCode};
use baton_store::StoreError;

use crate::problem::Tellable as _;

/// No token, a wrong one, or a revoked one: all the same to who shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("sign in first: send a valid token as `Authorization: Bearer`")]
pub struct Unauthorized;

impl From<Unauthorized> for Problem {
    fn from(error: Unauthorized) -> Self {
        Self::new(ProblemCode::Unauthorized, error.to_string())
    }
}

/// The system has no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers")]
pub struct NoRandomness;

/// Why a device was not signed in.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// Whatever was wrong with it: there may be no PIN at all.
    #[error("this did not sign you in: it is wrong, used up or expired")]
    Refused,
    #[error("too many wrong PINs; try again in {}, or sign in with a link", span(*retry_after))]
    Limited { retry_after: Duration },
    #[error("sign in with exactly one of `pin`, `token` and `link`")]
    NotOne,
    /// And all of them may do more.
    #[error("{most} devices are signed in already; sign one out first")]
    Full { most: usize },
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("sign-in cannot be stored")]
    Store(#[from] StoreError),
}

impl LoginError {
    /// What `Retry-After` says, in whole seconds.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Limited { retry_after } => Some(whole_seconds(*retry_after)),
            Self::Refused
            | Self::NotOne
            | Self::Full { .. }
            | Self::NoRandomness(_)
            | Self::Store(_) => None,
        }
    }
}

impl From<LoginError> for Problem {
    fn from(error: LoginError) -> Self {
        let code = match &error {
            LoginError::Refused => ProblemCode::Unauthorized,
            LoginError::Limited { .. } => ProblemCode::TooManyAttempts,
            LoginError::NotOne => ProblemCode::InvalidRequest,
            LoginError::Full { .. } => ProblemCode::TooMany,
            LoginError::NoRandomness(_) => ProblemCode::Internal,
            LoginError::Store(error) => return error.problem(),
        };
        Self::new(code, error.to_string())
    }
}

/// Why a link was not made.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("{most} links wait to be used already; each expires after ten minutes")]
    TooMany { most: usize },
    #[error("a link cannot allow more than its maker may do")]
    TooMuch,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("the link cannot be stored")]
    Store(#[from] StoreError),
}

impl From<LinkError> for Problem {
    fn from(error: LinkError) -> Self {
        let code = match &error {
            LinkError::TooMany { .. } => ProblemCode::TooMany,
            LinkError::TooMuch => ProblemCode::Forbidden,
            LinkError::NoRandomness(_) => ProblemCode::Internal,
            LinkError::Store(error) => return error.problem(),
        };
        Self::new(code, error.to_string())
    }
}

/// Why the PIN stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    #[error("a PIN has 6 to 64 digits and nothing else")]
    Shape,
    #[error("this PIN is among the first that anyone would try")]
    Trivial,
    #[error("the PIN stays while others than this machine can reach Baton")]
    Needed,
    #[error("the PIN is set by `auth.pin` in the configuration")]
    Configured,
    #[error("the PIN cannot be hashed")]
    Hash,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("the PIN cannot be stored")]
    Store(#[from] StoreError),
}

impl From<PinError> for Problem {
    fn from(error: PinError) -> Self {
        let code = match &error {
            PinError::Shape | PinError::Trivial => {
                return Self::invalid("pin", error.to_string());
            }
            PinError::Needed | PinError::Configured => ProblemCode::Unsupported,
            PinError::Hash | PinError::NoRandomness(_) => ProblemCode::Internal,
            PinError::Store(error) => return error.problem(),
        };
        Self::new(code, error.to_string())
    }
}

/// Why there is no API token, or the old one stays.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("the API token needs at least {least} characters")]
    Short { least: usize },
    #[error("the API token in {} cannot be used: it is {what}", path.display())]
    File { path: PathBuf, what: &'static str },
    #[error("the API token in {} cannot be read or written", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the API token comes from the configuration and is changed there")]
    Configured,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("the change of the API token cannot be stored")]
    Store(#[from] StoreError),
}

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Self {
        let code = match &error {
            TokenError::Configured => ProblemCode::Unsupported,
            TokenError::Store(error) => return error.problem(),
            TokenError::Short { .. }
            | TokenError::File { .. }
            | TokenError::Io { .. }
            | TokenError::NoRandomness(_) => ProblemCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}

/// Why sign-in cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("`auth.pin` cannot be used")]
    Pin(#[from] PinError),
    /// Others could reach Baton, and there would be nothing to ask them for.
    #[error("listening beyond this machine needs a PIN, and there is none")]
    PinNeeded,
    #[error("sign-in cannot be read")]
    Store(#[from] StoreError),
}

fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A time for a person, rounded up.
fn span(time: Duration) -> String {
    match whole_seconds(time) {
        1 => "1 second".to_owned(),
        seconds @ 0..120 => format!("{seconds} seconds"),
        seconds @ 120..7200 => format!("{} minutes", seconds.div_ceil(60)),
        seconds => format!("{} hours", seconds.div_ceil(3600)),
    }
}
