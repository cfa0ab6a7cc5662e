//! Something that moves while nothing comes, so that waiting looks like waiting.

use std::time::Duration;

use tokio::time::Instant;

use super::{Screen, Style};
use crate::failure::Failure;

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Shown only after a pause, so that quick answers do not flicker.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(super) struct Spinner {
    label: String,
    since: Instant,
    frame: usize,
    shown: bool,
    enabled: bool,
}

impl Spinner {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            label: String::new(),
            since: Instant::now(),
            frame: 0,
            shown: false,
            enabled,
        }
    }

    /// Says what is waited for, from now on.
    pub(super) fn wait_for(&mut self, label: &str) {
        label.clone_into(&mut self.label);
        self.since = Instant::now();
    }

    pub(super) fn stop(&mut self) {
        self.label.clear();
    }

    pub(super) const fn is_spinning(&self) -> bool {
        self.enabled && !self.label.is_empty()
    }

    pub(super) fn tick(&mut self, screen: &mut Screen) -> Result<(), Failure> {
        let waited = self.since.elapsed();
        if !self.is_spinning() || waited < PAUSE {
            return Ok(());
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        self.shown = true;
        let text = format!(
            "{} {} {} s",
            FRAMES[self.frame],
            self.label,
            waited.as_secs()
        );
        let text = screen.styled(Style::Dim, &text);
        screen.over(&text)
    }

    /// Takes the spinner off the line before anything else is written.
    pub(super) fn clear(&mut self, screen: &mut Screen) -> Result<(), Failure> {
        if std::mem::take(&mut self.shown) {
            screen.over("")?;
        }
        Ok(())
    }
}
