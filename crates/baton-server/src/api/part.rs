//! Parts of lists that are short enough to be read whole.

use baton_protocol::api::{ListPart, Part, Problem};

const MAX_LIMIT: u32 = 1000;

pub(crate) const fn whole<T>(items: Vec<T>) -> Part<T> {
    Part { items, next: None }
}

/// What `part` wants of a list. An item's name is where the part after it
/// begins.
pub(crate) fn part_of<T>(
    mut items: Vec<T>,
    part: &ListPart,
    name: impl Fn(&T) -> String,
) -> Result<Part<T>, Problem> {
    if let Some(cursor) = &part.cursor {
        let at = items.iter().position(|item| name(item) == *cursor);
        let at = at.ok_or_else(|| Problem::invalid("cursor", "the list has changed"))?;
        items.drain(..=at);
    }
    let Some(limit) = part.limit else {
        return Ok(whole(items));
    };
    if !(1..=MAX_LIMIT).contains(&limit) {
        let message = format!("it is between 1 and {MAX_LIMIT}");
        return Err(Problem::invalid("limit", message));
    }
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(&name);
    Ok(Part { items, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(limit: Option<u32>, cursor: Option<&str>) -> Option<(Vec<u8>, Option<String>)> {
        let wanted = ListPart {
            limit,
            cursor: cursor.map(str::to_owned),
        };
        let part = part_of(vec![1, 2, 3], &wanted, u8::to_string).ok()?;
        Some((part.items, part.next))
    }

    #[test]
    fn parts_put_together_are_the_list() {
        assert_eq!(part(None, None), Some((vec![1, 2, 3], None)));
        assert_eq!(part(Some(2), None), Some((vec![1, 2], Some("2".into()))));
        assert_eq!(part(Some(2), Some("2")), Some((vec![3], None)));
        assert_eq!(part(Some(3), None), Some((vec![1, 2, 3], None)));
        assert_eq!(part(None, Some("3")), Some((vec![], None)));
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for (limit, cursor) in [(Some(0), None), (Some(1001), None), (None, Some("9"))] {
            assert_eq!(part(limit, cursor), None);
        }
    }
}
