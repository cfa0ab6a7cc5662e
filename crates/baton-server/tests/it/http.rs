//! HTTP against a listening server: what every route does, and whom it lets in.

mod client;
mod documented;
mod problems;
mod projects;
mod routes;
mod security;
mod streams;
mod websocket;
