//! HTTP against a listening server: what every route does, and whom it lets in.

mod asked;
mod claude;
mod client;
mod comments;
mod documented;
mod metrics;
mod problems;
mod project_socket;
mod projects;
mod removal;
mod routes;
mod security;
mod streams;
mod websocket;
