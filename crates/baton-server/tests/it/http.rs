//! HTTP against a listening server: what every route does, and whom it lets in.

mod client;
mod documented;
mod hostile;
mod limits;
mod origins;
mod page;
mod problems;
mod projects;
mod routes;
mod security;
mod sign_in;
mod streams;
mod tls;
mod uploads;
mod websocket;
