//! Waits for a moment that moves with every token.
//!
//! To set a timer for each token and take it back costs more than the token, so
//! the timer stays where it was when the moment moves on, and looks again when
//! it rings too early.

use std::{future::pending, pin::Pin};

use tokio::time::{Instant, Sleep, sleep_until};

#[derive(Debug, Default)]
pub(super) struct Alarm {
    timer: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Waits until then; for ever without a moment. Cancel-safe.
    pub(super) async fn at(&mut self, due: Option<Instant>) {
        let Some(due) = due else {
            return pending().await;
        };
        loop {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if timer.deadline() > due || timer.is_elapsed() {
                timer.as_mut().reset(due);
            }
            timer.await;
            if Instant::now() >= due {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const STEP: Duration = Duration::from_millis(5);
    const LIMIT: Duration = Duration::from_secs(60);

    /// Waits as one does to whom a token comes at once.
    async fn interrupted(alarm: &mut Alarm, due: Instant) {
        tokio::select! {
            biased;
            () = alarm.at(Some(due)) => panic!("too early"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test]
    async fn an_alarm_that_moved_on_does_not_ring_at_the_old_moment() {
        let mut alarm = Alarm::default();
        timeout(Duration::ZERO, alarm.at(Some(Instant::now() + STEP)))
            .await
            .ok();
        let due = Instant::now() + STEP * 20;
        alarm.at(Some(due)).await;
        assert!(Instant::now() >= due, "it rang before its time");
        let again = Instant::now() + STEP;
        alarm.at(Some(again)).await;
        assert!(Instant::now() >= again, "it rang before its second time");
    }

    #[tokio::test]
    async fn an_alarm_that_is_set_earlier_rings_earlier() {
        let mut alarm = Alarm::default();
        interrupted(&mut alarm, Instant::now() + LIMIT * 60).await;
        let due = Instant::now() + STEP;
        timeout(LIMIT, alarm.at(Some(due))).await.unwrap();
        assert!(Instant::now() >= due);
    }
}
