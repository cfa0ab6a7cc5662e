//! Ways to look at a session: pure adapters over its events and live frames.
//!
//! A front end chooses one and feeds it what its subscription gives, in order.
//! Each takes [`Envelope`]s and, where text is concerned, [`LiveFrame`]s, and
//! says what to show; none does IO or reads a clock. Live frames only make a
//! view quicker: without them, or with some of them lost, the events alone lead
//! to the same text and the same facts.
//!
//! [`Envelope`]: baton_protocol::Envelope
//! [`LiveFrame`]: baton_protocol::LiveFrame

mod activity;
mod changed;
pub mod decided;
mod html;
mod markdown;
pub mod outputs;
mod overview;
mod paragraphs;
pub mod plain;
mod text;
mod tree;

pub use html::{Html, Picture};
pub use markdown::Markdown;
pub use overview::Overview;
pub use paragraphs::{FORCED_FLUSH, Paragraph, Paragraphs};

#[cfg(test)]
#[path = "views_tests.rs"]
mod tests;
