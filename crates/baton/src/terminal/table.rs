//! Rows in columns.

use super::Screen;
use crate::failure::Failure;

/// Writes rows under their heads, each column as wide as its widest cell. The
/// last one may be of any length.
pub(crate) fn table<const N: usize>(
    screen: &mut Screen,
    head: [&str; N],
    rows: &[[String; N]],
) -> Result<(), Failure> {
    let head = head.map(str::to_owned);
    let mut widths = [0; N];
    for row in std::iter::once(&head).chain(rows) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    if let Some(last) = widths.last_mut() {
        *last = 0;
    }
    for row in std::iter::once(&head).chain(rows) {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        screen.line(line.trim_end())?;
    }
    Ok(())
}
