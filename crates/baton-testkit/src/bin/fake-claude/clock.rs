//! The fake's clocks and ids. It is a program, so it reads them itself.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// `CLOCK_MONOTONIC` in nanoseconds, comparable between processes of one machine.
pub(crate) fn monotonic_nanos() -> u64 {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// Milliseconds since 1970.
pub(crate) fn unix_millis() -> u64 {
    nanos(clock_gettime(ClockId::Realtime)) / 1_000_000
}

/// Now, as the CLI writes it: `2026-11-15T06:48:57.101Z`.
pub(crate) fn timestamp() -> String {
    let millis = unix_millis();
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Year, month and day of a day counted from 1970-01-01 (the usual era arithmetic).
fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    (year, month, doy - (153 * mp + 2) / 5 + 1)
}

fn nanos(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(time.tv_nsec).unwrap_or_default();
    seconds * 1_000_000_000 + nanos
}

/// A quick source of version 4 UUIDs; unique enough for tests, not secret.
pub(crate) struct Ids(u64);

impl Ids {
    pub(crate) fn new() -> Self {
        let seed = monotonic_nanos() ^ (u64::from(std::process::id()) << 40);
        Self(seed | 1)
    }

    fn next(&mut self) -> u64 {
        // xorshift64*: a few instructions per id.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Writes a fresh UUID.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut bytes = [0_u8; 16];
        bytes[..8].copy_from_slice(&self.next().to_be_bytes());
        bytes[8..].copy_from_slice(&self.next().to_be_bytes());
        bytes[6] = 0x40 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        for (index, byte) in bytes.into_iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                out.push(b'-');
            }
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        }
    }

    pub(crate) fn uuid(&mut self) -> String {
        let mut out = Vec::with_capacity(36);
        self.write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}
