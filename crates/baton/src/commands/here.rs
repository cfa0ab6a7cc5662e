//! `baton` alone: the first minute. Starts the daemon, adds this folder, says
//! where it is, and lets the first browser in.

use std::io::IsTerminal;

use baton_protocol::{
    api::{AddProject, Secret},
    words::AccessScope,
};
use fast_qr::{ECL, QRBuilder};

use super::{folder::whole, projects::surrounding, sign_in::make_link};
use crate::{
    client::Client,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, Style, clean},
};

pub(crate) async fn here(setup: &Setup) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton").await?;
    let folder = whole(None);
    let around = surrounding(&mut client, &folder).await?;
    let mut screen = Screen::stdout(setup.colour);
    if let Some(project) = around {
        let line = format!(
            "Baton runs, and this folder is part of project {}, {}",
            project.slug,
            clean(&project.path, 200)
        );
        let line = screen.styled(Style::Bold, &line);
        screen.line(&line)?;
    } else {
        let path = folder.clone();
        let added = client.tell(AddProject { path }).await;
        let folder = clean(&folder, 200);
        let line = match added {
            Ok(added) => {
                let slug = clean(&added.slug, 100);
                format!("Baton runs, and {folder} is project {slug}")
            }
            Err(failure) => {
                let why = clean(&failure.what, 200);
                format!("Baton runs; {folder} was not added: {why}")
            }
        };
        let line = screen.styled(Style::Bold, &line);
        screen.line(&line)?;
    }
    let links = make_link(&mut client, AccessScope::Admin).await?;
    if let Some(url) = &links.here {
        screen.line("\nOpen it here:")?;
        show(&mut screen, url)?;
    }
    match &links.elsewhere {
        Some(url) => {
            screen.line("On another device:")?;
            show(&mut screen, url)?;
            if screen.is_terminal() && std::io::stdout().is_terminal() {
                draw(&mut screen, url)?;
            }
            screen.line("Either signs one browser in, once, within ten minutes.")?;
        }
        None => {
            screen.line("It signs one browser in, once, within ten minutes.\n")?;
            screen.line("No other device can reach it. Two commands change that:")?;
            screen.line(&format!("  {} pin set", setup.called))?;
            screen.line(&format!("  {} restart --host 0.0.0.0", setup.called))?;
        }
    }
    let more = format!(
        "{} link makes another; {} --help says the rest",
        setup.called, setup.called
    );
    screen.line(&screen.styled(Style::Dim, &more))?;
    Ok(Exit::Success)
}

fn show(screen: &mut Screen, url: &Secret) -> Result<(), Failure> {
    screen.line(&format!("  {}", url.expose()))
}

/// A QR code, if the link fits in one.
fn draw(screen: &mut Screen, url: &Secret) -> Result<(), Failure> {
    let code = QRBuilder::new(url.expose()).ecl(ECL::L).build();
    match code {
        Ok(code) => screen.line(&code.to_str()),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_in_a_code_that_fits_on_a_screen() {
        let link = "x".repeat(43);
        let url = format!("https://a-rather-long-name.example.org:12345/#link={link}");
        let code = QRBuilder::new(url).ecl(ECL::L).build().unwrap();
        let drawn = code.to_str();
        let width = drawn
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(width <= 60, "{width}");
        assert!(drawn.lines().count() <= 30);
    }
}
