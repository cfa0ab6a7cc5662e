//! `baton pin`, `token`, `devices` and `link`.
//!
//! The daemon is asked if one runs. Else this program does it alone: a daemon
//! that refuses to start without a PIN must not keep the PIN from being set.

use std::io::IsTerminal;

use baton_protocol::{
    DeviceId,
    api::{Device, GetStatus, ListDevices, MakeLink, RevokeDevice, RotateToken, Secret, SetPin},
    words::{AccessScope, Json},
};
use baton_server::auth::{Auth, AuthOptions, Principal};
use serde_json::json;

use crate::{
    cli::{DevicesArgs, DevicesCommand, LinkArgs, PinCommand, TokenCommand},
    client::{CHECK, Client},
    config::{Config, Sources},
    failure::{Exit, Failure, chain},
    owner::{Locked, Refused},
    setup::Setup,
    sign_in,
    terminal::{Screen, Stdin, ask_hidden, clean, table},
};

pub(crate) async fn pin(setup: &Setup, command: &PinCommand) -> Result<Exit, Failure> {
    let pin = match command {
        PinCommand::Set => Some(new_pin().await?),
        PinCommand::Clear => None,
    };
    let mut screen = Screen::stdout(setup.colour);
    match Keeper::find(setup, "baton pin").await? {
        Keeper::Daemon(mut client) => {
            let set = client.tell(SetPin { pin }).await;
            set.map_err(|failure| Failure {
                remedy: PIN_REMEDY.to_owned(),
                ..failure
            })?;
        }
        Keeper::Alone(alone) => {
            let set = alone.auth.set_pin(pin).await;
            alone.close().await;
            set.map_err(|error| Failure::new(chain(&error), PIN_REMEDY))?;
        }
    }
    screen.line(match command {
        PinCommand::Set => "the PIN is set; devices that used another one are signed out",
        PinCommand::Clear => "there is no PIN any more; devices that used it are signed out",
    })?;
    Ok(Exit::Success)
}

const PIN_REMEDY: &str =
    "A PIN has at least 6 digits that are hard to guess; `baton pin set` sets one.";

/// Asks twice on a terminal, so that a slip does not lock anyone out.
async fn new_pin() -> Result<Secret, Failure> {
    let input = Stdin::default();
    let none = || Failure::usage("no PIN was given", PIN_REMEDY);
    let pin = ask_hidden(&input, "New PIN: ").await?.ok_or_else(none)?;
    if std::io::stdin().is_terminal() {
        let again = ask_hidden(&input, "Again: ").await?.ok_or_else(none)?;
        if again != pin {
            return Err(Failure::new("the two are not the same", "Try again."));
        }
    }
    Ok(pin)
}

pub(crate) async fn token(setup: &Setup, command: &TokenCommand) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    match command {
        TokenCommand::Show(args) => {
            let options = sign_in::options(&setup.data, &configuration(setup)?);
            let token = options.token.read().map_err(|error| {
                Failure::new(
                    chain(&error),
                    "It is made when the daemon first starts: `baton start`.",
                )
            })?;
            if args.json {
                screen.json(&json!({"token": token.expose()}).to_string())?;
            } else {
                screen.line(token.expose())?;
            }
        }
        TokenCommand::Rotate => {
            match Keeper::find(setup, "baton token").await? {
                Keeper::Daemon(mut client) => {
                    client.tell(RotateToken {}).await?;
                }
                Keeper::Alone(alone) => {
                    let rotated = alone.auth.rotate_token().await;
                    alone.close().await;
                    rotated.map_err(|error| Failure::new(chain(&error), CHECK))?;
                }
            }
            screen.line(&format!(
                "there is a new API token; whoever used the old one is signed out\n  {} token show",
                setup.called
            ))?;
        }
    }
    Ok(Exit::Success)
}

pub(crate) async fn devices(setup: &Setup, args: &DevicesArgs) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let mut keeper = Keeper::find(setup, "baton devices").await?;
    let devices = keeper.devices().await?;
    if let Some(DevicesCommand::Revoke { id, json }) = &args.command {
        let device = one_device(&devices, id);
        let revoked = match device {
            Ok(device) => keeper.revoke(device.id).await.map(|()| device),
            Err(failure) => Err(failure),
        };
        keeper.close().await;
        let device = revoked?;
        if *json {
            screen.json(Json::of(device).text())?;
        } else {
            screen.line(&format!(
                "{} ({}) is signed out",
                clean(&device.name, 100),
                device.id
            ))?;
        }
        return Ok(Exit::Success);
    }
    keeper.close().await;
    if args.json {
        for device in &devices {
            screen.json(Json::of(device).text())?;
        }
    } else if devices.is_empty() {
        screen.line("no device is signed in; `baton link` makes a link that lets one in")?;
    } else {
        let rows: Vec<_> = devices.iter().map(row).collect();
        let head = ["DEVICE", "MAY", "SIGNED IN WITH", "LAST USED", "NAME"];
        table(&mut screen, head, &rows)?;
    }
    Ok(Exit::Success)
}

fn row(device: &Device) -> [String; 5] {
    // To the minute; the list is for people.
    let used = device.last_used_at.to_string().replace('T', " ");
    [
        device.id.to_string(),
        match device.session_id {
            None => device.scope.to_string(),
            Some(_) => "see one session".to_owned(),
        },
        device.via.to_string(),
        used.chars().take(16).collect(),
        clean(&device.name, 60),
    ]
}

fn one_device<'a>(devices: &'a [Device], id: &str) -> Result<&'a Device, Failure> {
    let full = if id.starts_with("dev_") {
        id.to_owned()
    } else {
        format!("dev_{id}")
    };
    let found: Vec<_> = devices
        .iter()
        .filter(|device| device.id.to_string().starts_with(&full))
        .collect();
    let list = "`baton devices` lists the devices there are.";
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::new(
            format!("no device `{}` is signed in", clean(id, 80)),
            list,
        )),
        _ => Err(Failure::new(
            format!("more than one device begins with `{}`", clean(id, 80)),
            list,
        )),
    }
}

pub(crate) async fn link(setup: &Setup, args: &LinkArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton link").await?;
    let links = make_link(&mut client, args.scope).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        let line = json!({
            "here": links.here, "elsewhere": links.elsewhere,
            "scope": args.scope, "expiresAt": links.expires_at,
        });
        screen.json(&line.to_string())?;
    } else {
        for url in links.elsewhere.iter().chain(&links.here).take(1) {
            screen.line(url.expose())?;
        }
        Screen::stderr(setup.colour).line(&format!(
            "lets one device in to {}, once, within ten minutes",
            args.scope
        ))?;
    }
    Ok(Exit::Success)
}

/// One link, as this machine and as others would open it.
pub(crate) struct Links {
    pub(crate) here: Option<Secret>,
    pub(crate) elsewhere: Option<Secret>,
    pub(crate) expires_at: baton_protocol::Timestamp,
}

pub(crate) async fn make_link(client: &mut Client, scope: AccessScope) -> Result<Links, Failure> {
    let Some(url) = client.tell(GetStatus).await?.answer.url else {
        return Err(Failure::new(
            "the daemon serves no pages, so a link would lead nowhere",
            "Restart it with `baton restart`; `baton doctor` looks for the reason.",
        ));
    };
    let made = client.tell(MakeLink { scope: Some(scope) }).await?.answer;
    let here = format!("{}/#link={}", url.trim_end_matches('/'), made.link.expose());
    Ok(Links {
        here: Some(Secret::new(here)),
        elsewhere: made.url,
        expires_at: made.expires_at,
    })
}

/// Who answers: the daemon, or this program while none runs.
enum Keeper {
    Daemon(Box<Client>),
    Alone(Box<Alone>),
}

/// Sign-in without a daemon, with the folder locked.
struct Alone {
    auth: Auth,
    locked: Locked,
}

impl Alone {
    async fn close(self) {
        self.locked.store.close().await;
    }
}

impl Keeper {
    async fn find(setup: &Setup, name: &str) -> Result<Self, Failure> {
        if let Some(client) = Client::existing(setup, name).await? {
            return Ok(Self::Daemon(Box::new(client)));
        }
        let config = configuration(setup)?;
        let locked = match Locked::open(setup).await {
            Ok(locked) => locked,
            // One that is just beginning.
            Err(Refused::Owned { .. }) => {
                let client = Client::connect(setup, name).await?;
                return Ok(Self::Daemon(Box::new(client)));
            }
            Err(refused) => return Err(refused.failure(&setup.data)),
        };
        let options = AuthOptions {
            // Nobody listens now; the next start will ask for what it needs.
            exposed: false,
            ..sign_in::options(&setup.data, &config)
        };
        let world = std::sync::Arc::new(baton_session::RealWorld);
        let auth = Auth::open(locked.store.clone(), world, options).await;
        let auth = auth.map_err(|error| Failure::new(chain(&error), CHECK))?;
        Ok(Self::Alone(Box::new(Alone { auth, locked })))
    }

    async fn devices(&mut self) -> Result<Vec<Device>, Failure> {
        match self {
            Self::Daemon(client) => {
                let devices = client.tell(ListDevices {}).await?;
                Ok(devices.answer.items)
            }
            Self::Alone(alone) => Ok(alone.auth.devices(&Principal::terminal())),
        }
    }

    async fn revoke(&mut self, id: DeviceId) -> Result<(), Failure> {
        match self {
            Self::Daemon(client) => {
                client.tell(RevokeDevice { id }).await?;
                Ok(())
            }
            Self::Alone(alone) => {
                alone.auth.revoke(id).await?;
                Ok(())
            }
        }
    }

    async fn close(self) {
        if let Self::Alone(alone) = self {
            alone.close().await;
        }
    }
}

/// The settings that a daemon in the background would have.
fn configuration(setup: &Setup) -> Result<Config, Failure> {
    Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: None,
        config: None,
        flags: &[],
    })
}
