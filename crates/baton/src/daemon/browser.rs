//! Opening a browser that is signed in.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use baton_process::{RunLimits, Spec, run_to_end};
use baton_server::{
    Api,
    auth::{Principal, Scope},
};

use crate::setup::Setup;

/// Opens the page by the system's own program. What goes wrong is told in the
/// log: the daemon serves all the same.
pub(super) async fn open(setup: Setup, api: Arc<Api>) {
    if let Err(why) = try_open(&setup, &api).await {
        tracing::warn!("no browser was opened: {why}");
    }
}

async fn try_open(setup: &Setup, api: &Api) -> Result<(), String> {
    let status = api.status().await.map_err(|problem| problem.detail)?;
    let url = status.url.ok_or("the daemon serves no pages")?;
    let name = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let program = setup
        .find_program(name)
        .ok_or_else(|| format!("{name} is not on the PATH"))?;
    let terminal = Principal::terminal();
    let link = api.auth().make_link(&terminal, Scope::Admin).await;
    let link = link.map_err(|error| error.to_string())?;
    let page = setup.data.join("open.html");
    write(&page, link.url(&url).expose()).map_err(|error| error.to_string())?;
    let spec = Spec {
        program,
        args: vec![page.into()],
        // It finds the screen by the user's own variables.
        env: setup.own_env(),
        cwd: PathBuf::from("/"),
    };
    let limits = RunLimits {
        time: Duration::from_secs(20),
        ..RunLimits::default()
    };
    let opened = run_to_end(&spec, limits).await;
    opened.map(|_| ()).map_err(|error| error.to_string())
}

/// A page that leads to the link. Arguments of a program can be seen by every
/// user of the machine; this file cannot.
fn write(page: &Path, url: &str) -> io::Result<()> {
    match std::fs::remove_file(page) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut open = OpenOptions::new();
    let mut file = open.write(true).create_new(true).mode(0o600).open(page)?;
    // The address is Baton's own and the link is base64: nothing to escape.
    writeln!(
        file,
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={url}\"><title>Baton</title>"
    )
}
