//! What to start, and why it could not be started.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::io::Errno;

/// What to start. Nothing is inherited: environment and working directory are
/// exactly these.
///
/// `program` is an absolute path, or a bare name that is looked up in the
/// `PATH` of `env`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub cwd: PathBuf,
}

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program is neither at its path nor, as a bare name, in `PATH`.
    #[error("program {} was not found", .program.display())]
    NoProgram { program: PathBuf },
    /// The program exists but the interpreter in its first line does not.
    #[error("program {} names an interpreter that was not found", .program.display())]
    NoInterpreter { program: PathBuf },
    /// The program exists but is no program, or may not be executed, or the
    /// working directory may not be entered.
    #[error("program {} cannot be executed", .program.display())]
    NotExecutable { program: PathBuf },
    /// The working directory does not exist or is not a directory.
    #[error("working directory {} is not there", .cwd.display())]
    NoDirectory { cwd: PathBuf },
    /// The system refused for another reason (too many processes, no memory).
    #[error("program {} could not be started", .program.display())]
    System {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl SpawnError {
    /// Says what a failed start of `spec` means; the system's error alone does
    /// not tell a missing program from a missing directory.
    pub(crate) fn explain(spec: &Spec, source: io::Error) -> Self {
        let program = spec.program.clone();
        let kind = source.kind();
        let missing = matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        if missing && !spec.cwd.is_dir() {
            Self::NoDirectory {
                cwd: spec.cwd.clone(),
            }
        } else if missing && has_folder(&program) && program.is_file() {
            Self::NoInterpreter { program }
        } else if missing {
            Self::NoProgram { program }
        } else if kind == io::ErrorKind::PermissionDenied
            || Errno::from_io_error(&source) == Some(Errno::NOEXEC)
        {
            Self::NotExecutable { program }
        } else {
            Self::System { program, source }
        }
    }
}

impl Spec {
    /// A command that runs exactly this, in a process group of its own.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.command_in_group();
        command.process_group(0);
        command
    }

    /// The same in this process's group, from where it can begin a session.
    pub(crate) fn command_in_group(&self) -> Command {
        let mut command = bare_command(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.cwd);
        command
    }
}

/// The one place where a command is made.
#[expect(clippy::disallowed_methods, reason = "this crate owns children")]
pub(crate) fn bare_command(program: &Path) -> Command {
    Command::new(program)
}

fn has_folder(program: &Path) -> bool {
    program.components().count() > 1
}
