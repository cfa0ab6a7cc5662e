//! The translation, held against recorded sessions of the real CLI.

#[path = "claude_tests/history.rs"]
mod history;
#[path = "claude_tests/lines.rs"]
mod lines;
#[path = "claude_tests/player.rs"]
mod player;
#[path = "claude_tests/recordings.rs"]
mod recordings;
