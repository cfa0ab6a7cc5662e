//! How the driver reaches a CLI: lines out of it, lines into it, its end.
//!
//! A child on pipes is one way; tests and holders bring others.

use baton_process::{
    Child, ChildHandle, ExitReport, Line, LineReader, LineWriter, StopPlan, WriteError,
};

/// A CLI that runs.
pub trait Transport: Send + 'static {
    /// Its stdout.
    type Output: Output;
    /// Its stdin.
    type Input: Input;
    /// Its life.
    type Process: Process;

    /// Takes it apart, since each part has a task of its own.
    fn split(self) -> (Self::Output, Self::Input, Self::Process);
}

/// Lines from the CLI.
pub trait Output: Send + 'static {
    /// The next line; `None` when no more will come. Must be cancel-safe.
    fn next(&mut self) -> impl Future<Output = Option<Line<'_>>> + Send;
}

/// Lines to the CLI. Dropping it closes the CLI's stdin once the lines before
/// have been written.
pub trait Input: Send + 'static {
    /// Writes one line, given without its line end.
    fn line(&mut self, line: &[u8]) -> impl Future<Output = Result<(), WriteError>> + Send;
}

/// The process itself. Dropping it must end the process.
pub trait Process: Send + 'static {
    /// Waits for the end. Must be cancel-safe.
    fn wait(&mut self) -> impl Future<Output = ExitReport> + Send;

    /// Brings the end about: close stdin, SIGTERM, SIGKILL.
    fn stop(&mut self, plan: StopPlan) -> impl Future<Output = ExitReport> + Send;

    /// The newest of what it wrote to stderr.
    fn stderr_tail(&self) -> Vec<u8>;
}

impl Transport for Child {
    type Output = LineReader;
    type Input = LineWriter;
    type Process = ChildHandle;

    fn split(self) -> (LineReader, LineWriter, ChildHandle) {
        Self::split(self)
    }
}

impl Output for LineReader {
    fn next(&mut self) -> impl Future<Output = Option<Line<'_>>> + Send {
        Self::next(self)
    }
}

impl Input for LineWriter {
    async fn line(&mut self, line: &[u8]) -> Result<(), WriteError> {
        Self::line(self, line).await
    }
}

impl Process for ChildHandle {
    fn wait(&mut self) -> impl Future<Output = ExitReport> + Send {
        Self::wait(self)
    }

    fn stop(&mut self, plan: StopPlan) -> impl Future<Output = ExitReport> + Send {
        Self::stop(self, plan)
    }

    fn stderr_tail(&self) -> Vec<u8> {
        Self::stderr_tail(self)
    }
}
