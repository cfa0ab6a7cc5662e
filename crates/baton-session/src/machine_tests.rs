//! The rules, told as short scripts: one line per step, with what followed.

#[path = "machine_tests/approvals.rs"]
mod approvals;
#[path = "machine_tests/beside.rs"]
mod beside;
#[path = "machine_tests/clocks.rs"]
mod clocks;
#[path = "machine_tests/counts.rs"]
mod counts;
#[path = "machine_tests/elsewhere.rs"]
mod elsewhere;
#[path = "machine_tests/ends.rs"]
mod ends;
#[path = "machine_tests/every.rs"]
mod every;
#[path = "machine_tests/lasting.rs"]
mod lasting;
#[path = "machine_tests/messages.rs"]
mod messages;
#[path = "machine_tests/modes.rs"]
mod modes;
#[path = "machine_tests/places.rs"]
mod places;
#[path = "machine_tests/queue.rs"]
mod queue;
#[path = "machine_tests/render.rs"]
mod render;
#[path = "machine_tests/requests.rs"]
mod requests;
#[path = "machine_tests/script.rs"]
mod script;
#[path = "machine_tests/stopping.rs"]
mod stopping;
