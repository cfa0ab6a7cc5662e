//! `baton add`, `remove` and `projects`.

use std::path::Path;

use baton_project::discovery::{nearest_project, repository_around};
use baton_protocol::{
    api::{ListProjects, Nothing, Project, ProjectAdd, ProjectMove, ProjectName, ask},
    words::Json,
};
use baton_session::{RealWorld, World};

use super::{folder::whole, sessions::age};
use crate::{
    cli::{AddArgs, MoveArgs, ProjectsArgs, ProjectsCommand, RemoveArgs},
    client::Client,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

/// Projects that are asked for at once.
const PAGE: u32 = 1000;

pub(crate) async fn add(setup: &Setup, args: &AddArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton add").await?;
    let body = ProjectAdd {
        path: whole(args.path.as_deref()),
        title: args.title.clone(),
    };
    let project = client.ask::<ask::ProjectAdd>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(project.text())?;
        return Ok(Exit::Success);
    }
    let path = clean(&project.path, 200);
    screen.line(&format!("{}  {path}", project.slug))?;
    Ok(Exit::Success)
}

pub(crate) async fn remove(setup: &Setup, args: &RemoveArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton remove").await?;
    let project = named(&args.project);
    let body = ProjectName { project };
    let answer = client.ask::<ask::ProjectRemove>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(answer.text())?;
    } else {
        let name = clean(&args.project, 200);
        screen.line(&format!(
            "{name} is off the list; its files and sessions stay"
        ))?;
    }
    Ok(Exit::Success)
}

async fn moved(setup: &Setup, args: &MoveArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton projects move").await?;
    // Not resolved: where the folder was there may be a link to where it is.
    let project = if args.old.contains('/') {
        whole(Some(Path::new(&args.old)))
    } else {
        args.old.clone()
    };
    let to = whole(Some(&args.new));
    let body = ProjectMove { project, to };
    let project = client.ask::<ask::ProjectMove>(None, body).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(project.text())?;
        return Ok(Exit::Success);
    }
    let path = clean(&project.path, 200);
    screen.line(&format!(
        "{} is in {path} now; its sessions go on there",
        project.slug
    ))?;
    if !project.trusted {
        screen.line("It is not trusted there yet: `baton trust` shows what it brings")?;
    }
    Ok(Exit::Success)
}

pub(crate) async fn projects(setup: &Setup, args: &ProjectsArgs) -> Result<Exit, Failure> {
    if let Some(ProjectsCommand::Move(args)) = &args.command {
        return moved(setup, args).await;
    }
    let mut client = Client::connect(setup, "baton projects").await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.scan {
        let scanned = client.ask::<ask::ProjectScan>(None, Nothing {}).await?;
        if !args.json {
            let (found, added) = (scanned.found, scanned.added.len());
            screen.line(&format!("{found} folders found, {added} of them new"))?;
        }
    }
    let all = list(&mut client).await?;
    if args.json {
        for project in &all {
            screen.json(Json::of(project).text())?;
        }
        return Ok(Exit::Success);
    }
    if all.is_empty() {
        screen.line("No projects yet. `baton add` lists this folder.")?;
        return Ok(Exit::Success);
    }
    let rows: Vec<_> = all.iter().map(cells).collect();
    table(
        &mut screen,
        ["SLUG", "GIT", "TRUST", "LAST", "FOLDER"],
        &rows,
    )?;
    Ok(Exit::Success)
}

async fn list(client: &mut Client) -> Result<Vec<Project>, Failure> {
    let mut all = Vec::new();
    let mut cursor = None;
    loop {
        let body = ListProjects {
            limit: Some(PAGE),
            cursor,
        };
        let page = client.ask::<ask::Projects>(None, body).await?.answer;
        all.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

/// The project that a folder is a part of: the nearest on the list around it
/// in the same repository. None for a folder that is on the list itself.
pub(super) async fn surrounding(
    client: &mut Client,
    folder: &str,
) -> Result<Option<Project>, Failure> {
    let Ok(folder) = Path::new(folder).canonicalize() else {
        return Ok(None);
    };
    let Some(root) = repository_around(&folder) else {
        return Ok(None);
    };
    let projects = list(client).await?;
    let path = nearest_project(
        projects.iter().map(|project| project.path.clone()),
        &folder,
        &root,
    );
    let mut projects = projects.into_iter();
    Ok(path.and_then(|path| projects.find(|project| project.path == path)))
}

fn cells(project: &Project) -> [String; 5] {
    let last = project.last_used_at.or(project.last_modified);
    let path = clean(&project.path, 200);
    [
        project.slug.clone(),
        git(project),
        if project.trusted { "yes" } else { "no" }.to_owned(),
        last.map_or_else(String::new, |last| age(RealWorld.now(), last)),
        match (&project.title, project.exists) {
            (_, Some(false)) => format!("{path} (not there)"),
            (Some(title), _) => format!("{path} ({})", clean(title, 60)),
            (None, _) => path,
        },
    ]
}

/// `main* +2 -1`: changed, two commits ahead of its upstream, one behind.
fn git(project: &Project) -> String {
    let Some(branch) = &project.git_branch else {
        return String::new();
    };
    let mut text = clean(branch, 30);
    if project.is_dirty == Some(true) {
        text.push('*');
    }
    for (sign, count) in [('+', project.ahead), ('-', project.behind)] {
        if let Some(count) = count.filter(|count| *count > 0) {
            text.push_str(&format!(" {sign}{count}"));
        }
    }
    text
}

/// A slug or an id as it is, a folder by its whole path.
pub(super) fn named(project: &str) -> String {
    if project.contains('/') || matches!(project, "." | "..") {
        let path = whole(Some(Path::new(project)));
        let real = Path::new(&path).canonicalize().ok();
        return real
            .and_then(|real| real.to_str().map(str::to_owned))
            .unwrap_or(path);
    }
    project.to_owned()
}
