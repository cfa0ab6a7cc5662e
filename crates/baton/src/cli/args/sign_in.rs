//! What the commands take that are about signing in and running as a service.

use baton_protocol::words::AccessScope;
use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};

#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Sets the PIN: asks for it, or reads it from standard input
    #[command(after_help = "Examples:\n  baton pin set\n  baton pin set < pin.txt")]
    Set,
    /// Removes the PIN; refused while other devices can reach Baton
    #[command(after_help = "Example:\n  baton pin clear")]
    Clear,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Prints the API token
    #[command(
        after_help = "Example:\n  curl -H \"Authorization: Bearer $(baton token show)\" http://127.0.0.1:2633/api/v1/status"
    )]
    Show(TokenShowArgs),
    /// Makes a new API token and signs out whoever used the old one
    #[command(after_help = "Example:\n  baton token rotate")]
    Rotate,
}

#[derive(Debug, Args)]
pub(crate) struct TokenShowArgs {
    /// Prints it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DevicesArgs {
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<DevicesCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DevicesCommand {
    /// Signs a device out; what it has open closes at once
    #[command(after_help = "Example:\n  baton devices revoke dev_…")]
    Revoke {
        /// The device: its id, or the beginning of it
        id: String,
        /// Prints the device as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    /// What the device may do: observe reads, operate steers, admin decides who else comes in
    #[arg(long, default_value = "admin", value_parser = access_scopes())]
    pub(crate) scope: AccessScope,
    /// Prints it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Writes the service's file and starts it
    #[command(after_help = "Example:\n  baton service install")]
    Install(ServiceInstallArgs),
    /// Ends the service and removes its file; agents go on
    #[command(after_help = "Example:\n  baton service uninstall")]
    Uninstall,
    /// Says whether the service is installed and runs
    #[command(after_help = "Example:\n  baton service status --json")]
    Status(ServiceStatusArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ServiceInstallArgs {
    /// Prints the file and writes nothing
    #[arg(long)]
    pub(crate) print: bool,
    /// Writes the file and starts nothing
    #[arg(long)]
    pub(crate) no_start: bool,
    /// Does it for root, whose agents may do everything
    #[arg(long)]
    pub(crate) allow_root: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceStatusArgs {
    /// Prints it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn access_scopes() -> impl TypedValueParser<Value = AccessScope> {
    let words = AccessScope::ALL.iter().map(|scope| scope.as_str());
    PossibleValuesParser::new(words).map(|word| word.parse().unwrap_or(AccessScope::Observe))
}
