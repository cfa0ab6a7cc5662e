//! HTTP against a listening server: what every route does, and whom it lets in.

mod client;
mod problems;
mod routes;
mod security;
mod streams;
mod websocket;
