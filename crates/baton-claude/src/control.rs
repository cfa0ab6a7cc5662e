//! The control protocol: questions and answers beside the conversation.
//!
//! Both sides may ask. [`CliRequest`] is what the CLI asks us (may this tool
//! run, run this hook, pass this to your MCP server); [`HostRequest`] is what
//! we ask it, one struct per subtype. Who owes whom an answer is not known here.

pub(crate) mod answer;
pub(crate) mod hook;
pub(crate) mod incoming;
pub(crate) mod initialize;
pub(crate) mod permission;
pub(crate) mod reply;
pub(crate) mod request;

pub use answer::*;
pub use hook::*;
pub use incoming::*;
pub use initialize::*;
pub use permission::*;
pub use reply::*;
pub use request::*;
