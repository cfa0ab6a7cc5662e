//! HTTP against a listening server: what every route does, and whom it lets in.

mod asked;
mod claude;
mod client;
mod comments;
mod documented;
mod hostile;
mod limits;
mod metrics;
mod observers;
mod offered;
mod origins;
mod page;
mod problems;
mod project_socket;
mod projects;
mod removal;
mod routes;
mod secrets;
mod security;
mod shared;
mod sign_in;
mod streams;
mod tls;
mod uploads;
mod websocket;
