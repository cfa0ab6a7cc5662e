//! Rows in columns.

use super::{Screen, clean};
use crate::failure::Failure;

/// Between two columns.
const GAP: usize = 2;

/// No column is made narrower than this to fit.
const NARROWEST: usize = 8;

/// Columns that are never cut: other commands take what is in them.
const NAMES: &[&str] = &["ID", "SLUG", "TASK", "MESSAGE"];

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
    let whole = head.map(|head| NAMES.contains(&head));
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
    let sum: usize = widths.iter().sum();
    if let Some(columns) = columns {
        let mut cut = widths.iter_mut().zip(whole);
        let cut = cut.by_ref().filter(|(_, whole)| !whole);
        let cut: Vec<&mut usize> = cut.map(|(width, _)| width).collect();
        let gaps = GAP * N.saturating_sub(1);
        let rest: usize = sum - cut.iter().map(|width| **width).sum::<usize>();
        fit(cut, columns.saturating_sub(rest + gaps));
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

/// Takes from the widest column until all fit, the last ones first.
fn fit(mut widths: Vec<&mut usize>, columns: usize) {
    while widths.iter().map(|width| **width).sum::<usize>() > columns {
        match widths.iter_mut().max_by_key(|width| ***width) {
            Some(widest) if **widest > NARROWEST => **widest -= 1,
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

    #[test]
    fn what_other_commands_take_is_whole_on_any_terminal() {
        let id = "ses_0193a1b2c3d47e5f".to_owned();
        let long = || "x".repeat(30);
        let rows = [[id.clone(), long(), long(), long()]];
        let head = ["ID", "STATE", "PROJECT", "TITLE"];
        for columns in [20, 60, 80] {
            let fitted = lines(Some(columns), head, &rows);
            assert!(fitted[1].starts_with(&format!("{id}  xxx")), "{fitted:?}");
            assert!(columns < 60 || fitted[1].chars().count() <= columns);
        }
    }
}
