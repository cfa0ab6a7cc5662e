//! The views on sessions written here, and on every recorded one.

#[path = "views_tests/changed.rs"]
mod changed;
#[path = "views_tests/overview.rs"]
mod overview;
#[path = "views_tests/paragraphs.rs"]
mod paragraphs;
#[path = "views_tests/recorded.rs"]
mod recorded;
#[path = "views_tests/script.rs"]
mod script;
#[path = "views_tests/told.rs"]
mod told;
#[path = "views_tests/tree.rs"]
mod tree;
