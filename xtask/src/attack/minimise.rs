//! Makes a line as short as can be while something holds of it.

/// How often a line is tried before what is left is taken as it is.
const TRIES: usize = 200;

/// Drops pieces of `line`, large ones first, as long as `holds`.
pub fn minimised(
    line: &str,
    mut holds: impl FnMut(&str) -> anyhow::Result<bool>,
) -> anyhow::Result<String> {
    let mut best: Vec<char> = line.chars().collect();
    let mut tries = 0;
    let mut size = best.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let mut shorter = false;
        while at < best.len() && tries < TRIES {
            let end = (at + size).min(best.len());
            let without: String = best[..at].iter().chain(&best[end..]).collect();
            tries += 1;
            if !without.trim().is_empty() && holds(&without)? {
                best = without.chars().collect();
                shorter = true;
            } else {
                at += size;
            }
        }
        if tries >= TRIES || (size == 1 && !shorter) {
            return Ok(best.into_iter().collect());
        }
        size = if size == 1 { 1 } else { size.div_ceil(2) };
    }
}
