use super::*;

const FIRST: &str = "CREATE TABLE a (x); INSERT INTO a VALUES (1);";
const SECOND: &str = "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1;";

fn version(conn: &Connection) -> u32 {
    user_version(conn).unwrap()
}

#[test]
fn an_old_database_is_brought_up_one_step_at_a_time_and_once() {
    let mut conn = Connection::open_in_memory().unwrap();
    migrate(&mut conn, &[FIRST]).unwrap();
    assert_eq!(version(&conn), 1);
    migrate(&mut conn, &[FIRST, SECOND]).unwrap();
    migrate(&mut conn, &[FIRST, SECOND]).unwrap();
    assert_eq!(version(&conn), 2);
    let row: (i64, i64) = conn
        .query_row("SELECT x, y FROM a", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(row, (1, 2));
}

#[test]
fn a_failed_migration_leaves_the_version_before_it() {
    let mut conn = Connection::open_in_memory().unwrap();
    migrate(&mut conn, &[FIRST]).unwrap();
    let half = "UPDATE a SET x = 99; CREATE TABLE a (again);";
    assert!(matches!(
        migrate(&mut conn, &[FIRST, half]),
        Err(Obstacle::Sqlite(_))
    ));
    assert_eq!(version(&conn), 1);
    let x: i64 = conn
        .query_row("SELECT x FROM a", [], |row| row.get(0))
        .unwrap();
    assert_eq!(x, 1);
}

#[test]
fn a_database_of_the_future_and_one_of_somebody_else_are_refused() {
    let mut conn = Connection::open_in_memory().unwrap();
    migrate(&mut conn, &[FIRST, SECOND]).unwrap();
    assert!(matches!(
        migrate(&mut conn, &[FIRST]),
        Err(Obstacle::Newer { found: 2, known: 1 })
    ));

    let mut other = Connection::open_in_memory().unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert!(matches!(
        migrate(&mut other, &[FIRST]),
        Err(Obstacle::Foreign)
    ));
}
