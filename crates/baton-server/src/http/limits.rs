//! How much and how slowly clients may send and read.

use std::time::Duration;

/// Within what bounds connections are served. Each is there so that nobody,
/// signed in or not, keeps the daemon from the others.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// Connections at once, idle ones and WebSockets included. One more is
    /// told 503 and closed.
    pub connections: usize,
    /// For a request's headers, and between two requests. Then the connection
    /// is closed.
    pub header_time: Duration,
    /// For the first message of a WebSocket that is not signed in. Then it is
    /// closed.
    pub hello_time: Duration,
    /// Bytes of bodies and messages that are held at once, by all. One more is
    /// told 429, or its WebSocket is closed.
    pub held: usize,
    /// How slowly a body may come. Then the answer is 408.
    pub body: Pace,
    /// How slowly an answer or a stream may be read, counted only while the
    /// daemon waits to write. Then the connection is closed.
    pub reading: Pace,
}

/// At least so much in each time.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub time: Duration,
    pub bytes: u64,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: 512,
            header_time: Duration::from_secs(30),
            hello_time: Duration::from_secs(5),
            held: 192 << 20,
            body: Pace {
                time: Duration::from_secs(30),
                bytes: 512 << 10,
            },
            // Systems tell that there is room only once a good part of a
            // buffer of megabytes is free.
            reading: Pace {
                time: Duration::from_secs(120),
                bytes: 64 << 10,
            },
        }
    }
}

impl Pace {
    /// How long something may take until so much of it has come.
    pub(crate) fn time_for(self, bytes: u64) -> Duration {
        let times = bytes / self.bytes.max(1) + 1;
        self.time
            .saturating_mul(u32::try_from(times).unwrap_or(u32::MAX))
    }
}
