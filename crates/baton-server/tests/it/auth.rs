//! Signing in: who is let in, for how long, and what they may do.

mod devices;
mod links;
mod pin;
mod shares;
mod token;
mod world;
