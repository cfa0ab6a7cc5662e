use proptest::prelude::*;

use super::*;

fn index(bodies: &[&str]) -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(
        "CREATE VIRTUAL TABLE search USING fts5 (body, tokenize = 'unicode61 remove_diacritics 2')",
    )
    .unwrap();
    for body in bodies {
        conn.execute("INSERT INTO search (body) VALUES (?1)", [body])
            .unwrap();
    }
    conn
}

fn found(conn: &Connection, query: &str) -> Vec<i64> {
    let Some(terms) = terms(query) else {
        return Vec::new();
    };
    let mut select = conn
        .prepare("SELECT rowid FROM search WHERE search MATCH ?1 ORDER BY rowid")
        .unwrap();
    let rows = select.query_map([terms], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn every_word_must_occur_and_the_last_may_be_a_beginning() {
    let conn = index(&["fix the login test", "fix the parser", "Größe der Datei"]);
    assert_eq!(found(&conn, "fix the"), [1, 2]);
    assert_eq!(found(&conn, "test fix"), [1]);
    assert_eq!(found(&conn, "fix pars"), [2]);
    assert_eq!(found(&conn, "pars fix"), Vec::<i64>::new());
    assert_eq!(found(&conn, "grosse"), Vec::<i64>::new());
    assert_eq!(found(&conn, "GROßE"), [3]);
    assert_eq!(found(&conn, "  "), Vec::<i64>::new());
}

#[test]
fn words_of_the_query_language_are_only_words() {
    let conn = index(&["this OR that", "NEAR(a b) \"quoted\" col:umn -x ^y *"]);
    assert_eq!(found(&conn, "OR"), [1]);
    assert_eq!(found(&conn, "NEAR(a"), [2]);
    assert_eq!(found(&conn, "\"quoted\""), [2]);
    assert_eq!(found(&conn, "col:umn"), [2]);
    assert_eq!(found(&conn, "\" ' ( ) * ^ - + { } :"), Vec::<i64>::new());
}

proptest! {
    #[test]
    fn no_query_is_a_syntax_error(query in any::<String>(), more in r#"[\PC\x00"*^(){}:+-]{0,12}"#) {
        let conn = index(&["something"]);
        found(&conn, &query);
        found(&conn, &format!("{query} {more}"));
    }
}
