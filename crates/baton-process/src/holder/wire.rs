//! What owner and holder say to each other.
//!
//! The owner says hello with its version and a position; the holder answers
//! with its own hello or a refusal. Both hellos keep their form in all
//! versions, so that a newer owner can learn which version to fall back to.
//! After that the holder sends the journal's own bytes, record by record, and
//! the owner sends frames: length, kind, payload.

use super::journal::HEADER;

/// The version this build speaks, as holder and as owner.
pub(super) const VERSION: u32 = 1;

/// A hello that every holder refuses: it only asks whether one is there.
pub(super) const PROBE: Hello = Hello {
    version: 0,
    from: 0,
};

pub(super) const HELLO: usize = 16;
pub(super) const WELCOME: usize = 48;

const MAGIC: [u8; 4] = *b"BTNH";

/// What the owner says first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) version: u32,
    pub(super) from: u64,
}

/// What the holder answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Welcome {
    pub(super) version: u32,
    pub(super) verdict: Verdict,
    pub(super) holder: i32,
    pub(super) agent: i32,
    pub(super) exited: bool,
    pub(super) start: u64,
    pub(super) end: u64,
    /// Where the first header the owner receives counts from. It is made up,
    /// eight bytes before the position, when that lies inside a record.
    pub(super) first: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    UnknownVersion,
    PositionGone,
    PositionBeyond,
}

/// What an owner may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    Line,
    CloseStdin,
    Signal,
    Stop,
    Commit,
    Free,
}

impl Hello {
    pub(super) fn to_bytes(self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.version.to_le_bytes());
        bytes[8..].copy_from_slice(&self.from.to_le_bytes());
        bytes
    }

    pub(super) fn parse(bytes: &[u8; HELLO]) -> Option<Self> {
        let mut fields = Fields(bytes);
        (fields.take()? == MAGIC).then_some(())?;
        Some(Self {
            version: u32::from_le_bytes(fields.take()?),
            from: u64::from_le_bytes(fields.take()?),
        })
    }
}

impl Welcome {
    pub(super) fn to_bytes(self) -> [u8; WELCOME] {
        let verdict = match self.verdict {
            Verdict::Accepted => 0_u32,
            Verdict::UnknownVersion => 1,
            Verdict::PositionGone => 2,
            Verdict::PositionBeyond => 3,
        };
        let mut bytes = [0; WELCOME];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.version.to_le_bytes());
        bytes[8..12].copy_from_slice(&verdict.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.holder.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.agent.to_le_bytes());
        bytes[20..24].copy_from_slice(&u32::from(self.exited).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.start.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.end.to_le_bytes());
        bytes[40..].copy_from_slice(&self.first.to_le_bytes());
        bytes
    }

    pub(super) fn parse(bytes: &[u8; WELCOME]) -> Option<Self> {
        let mut fields = Fields(bytes);
        (fields.take()? == MAGIC).then_some(())?;
        let version = u32::from_le_bytes(fields.take()?);
        let verdict = match u32::from_le_bytes(fields.take()?) {
            0 => Verdict::Accepted,
            1 => Verdict::UnknownVersion,
            2 => Verdict::PositionGone,
            3 => Verdict::PositionBeyond,
            _ => return None,
        };
        Some(Self {
            version,
            verdict,
            holder: i32::from_le_bytes(fields.take()?),
            agent: i32::from_le_bytes(fields.take()?),
            exited: u32::from_le_bytes(fields.take()?) != 0,
            start: u64::from_le_bytes(fields.take()?),
            end: u64::from_le_bytes(fields.take()?),
            first: u64::from_le_bytes(fields.take()?),
        })
    }
}

/// A frame's header; the caller has made sure that the length fits.
pub(super) fn frame_header(ask: Ask, length: u32) -> [u8; HEADER] {
    let code = match ask {
        Ask::Line => 1,
        Ask::CloseStdin => 2,
        Ask::Signal => 3,
        Ask::Stop => 4,
        Ask::Commit => 5,
        Ask::Free => 6,
    };
    let [a, b, c, d] = length.to_le_bytes();
    [a, b, c, d, code, 0, 0, 0]
}

/// The kind, if it is a known one, and the payload's length.
pub(super) fn parse_frame_header(header: [u8; HEADER]) -> (Option<Ask>, usize) {
    let [a, b, c, d, code, ..] = header;
    let ask = match code {
        1 => Some(Ask::Line),
        2 => Some(Ask::CloseStdin),
        3 => Some(Ask::Signal),
        4 => Some(Ask::Stop),
        5 => Some(Ask::Commit),
        6 => Some(Ask::Free),
        _ => None,
    };
    (ask, u32::from_le_bytes([a, b, c, d]) as usize)
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }
}
