//! Rows in columns.

use super::{Screen, clean};
use crate::failure::Failure;

/// Between two columns.
const GAP: usize = 2;

/// No column is made narrower than this to fit.
const NARROWEST: usize = 8;

/// Writes rows under their heads, each column as wide as its widest cell. On a
/// terminal the widest columns are cut until a row fits a line; what is read by
/// a program is whole.
pub(crate) fn table<const N: usize>(
    screen: &mut Screen,
    head: [&str; N],
    rows: &[[String; N]],
) -> Result<(), Failure> {
    for line in lines(screen.columns(), head, rows) {
        screen.line(&line)?;
    }
    Ok(())
}

fn lines<const N: usize>(
    columns: Option<usize>,
    head: [&str; N],
    rows: &[[String; N]],
) -> Vec<String> {
    let head = head.map(str::to_owned);
    let rows = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| clean(cell, usize::MAX)));
    let rows: Vec<[String; N]> = std::iter::once(head).chain(rows).collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    if let Some(columns) = columns {
        fit(&mut widths, columns);
    }
    let mut lines = Vec::new();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| {
            let cell = clean(cell, width);
            format!("{cell:width$}")
        });
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Takes from the widest column until the rest fits, the last ones first.
fn fit(widths: &mut [usize], columns: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > columns {
        match widths.iter_mut().max_by_key(|width| **width) {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            Some(_) | None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_the_terminal_and_is_whole_elsewhere() {
        let long = "x".repeat(70);
        let rows = [["one".to_owned(), long.clone(), long.clone()]];
        let head = ["ID", "TITLE", "FOLDER"];
        let fitted = lines(Some(80), head, &rows);
        assert!(
            fitted.iter().all(|line| line.chars().count() <= 80),
            "{fitted:?}"
        );
        assert!(fitted[1].starts_with("one  xxx") && fitted[1].ends_with('…'));
        let whole = lines(None, head, &rows);
        assert_eq!(whole[1], format!("one  {long}  {long}"));
    }

    #[test]
    fn a_narrow_terminal_gets_what_is_left() {
        let rows = [["0123456789".to_owned(), "0123456789".to_owned()]];
        assert_eq!(lines(Some(5), ["A", "B"], &rows)[1], "0123456…  0123456…");
    }
}
