use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
    time::sleep,
};

use super::*;

/// Short enough to run out in a test.
const SHORT: Pace = Pace {
    time: Duration::from_millis(50),
    bytes: 1000,
};
/// Long enough never to.
const LONG: Pace = Pace {
    time: Duration::from_secs(3600),
    bytes: 1000,
};
const MOMENT: Duration = Duration::from_millis(2);

#[tokio::test]
async fn who_reads_nothing_is_given_up() {
    let (io, _other) = duplex(100);
    let mut paced = Paced::new(io, SHORT);
    let error = paced.write_all(&[0; 200]).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn who_reads_drop_by_drop_is_given_up() {
    let (io, mut other) = duplex(100);
    let mut paced = Paced::new(io, SHORT);
    let reading = async {
        // Each drop comes in time, and a thousand of them do not.
        while other.read_u8().await.is_ok() {
            sleep(MOMENT).await;
        }
    };
    let writing = async {
        let error = paced.write_all(&[0; 5000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(paced);
    };
    tokio::join!(reading, writing);
}

#[tokio::test]
async fn only_time_in_which_writing_waits_counts_and_enough_bytes_forgive_it() {
    let (io, mut other) = duplex(100);
    let mut paced = Paced::new(io, LONG);
    paced.write_all(&[0; 50]).await.unwrap();
    sleep(MOMENT).await;
    paced.write_all(&[0; 50]).await.unwrap();
    assert_eq!(paced.waited, Duration::ZERO);

    let mut buffer = [0; 100];
    let reading = async {
        sleep(MOMENT).await;
        other.read_exact(&mut buffer).await.unwrap();
    };
    let (written, ()) = tokio::join!(paced.write_all(&[0; 50]), reading);
    written.unwrap();
    assert!(paced.waited > Duration::ZERO);

    // With the last of these it is a thousand.
    let mut rest = [0; 900];
    let (written, read) = tokio::join!(paced.write_all(&[0; 850]), other.read_exact(&mut rest));
    written.unwrap();
    read.unwrap();
    assert_eq!((paced.written, paced.waited), (0, Duration::ZERO));
}
