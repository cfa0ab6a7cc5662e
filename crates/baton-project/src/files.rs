//! A project's files, and nothing outside its folder.
//!
//! A path is resolved first, links included, and what it leads to is then
//! opened without following any link: whoever swaps a folder for a link in
//! between gets an error, not a foreign file. What lies outside is told as
//! missing, so that nobody can ask what else there is. `.git` is not shown, and
//! pipes and devices are not opened. Everything blocks.
//!
//! Read in this order: [`ProjectFolder`], [`ProjectFolder::list`],
//! [`ProjectFolder::view`], [`ProjectFolder::catalogue`], [`ProjectFolder::search`].

mod find;
mod list;
mod matching;
#[cfg(test)]
mod matching_tests;
mod open;
mod rules;
mod search;
mod text;
mod view;

pub use find::Catalogue;
pub use list::{Listed, PageRequest};
pub use open::{FileError, ProjectFolder};
pub(crate) use rules::IgnoreRules;
pub use search::{BadPattern, TextSearch};
pub use view::{Lines, Viewed};
