//! Counters: an event's place in its session, in the runner, and its turn.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! counter {
    ($(#[$doc:meta])* pub struct $name:ident($number:ty), $zero:ident) => {
        $(#[$doc])*
        #[derive(
            Debug,
            Clone,
            Copy,
            Default,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            Serialize,
            Deserialize,
            JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub $number);

        impl $name {
            pub const $zero: Self = Self(0);

            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

counter! {
    /// An event's number within its session: 1, 2, 3 … without gap or repeat.
    /// As a cursor, 0 stands before the first event.
    pub struct Seq(u64), START
}

counter! {
    /// An event's number within the runner, over all sessions.
    pub struct SeqNo(u64), START
}

counter! {
    /// A turn's number within its session; 0 stands for "before the first turn".
    pub struct Turn(u32), NONE
}
