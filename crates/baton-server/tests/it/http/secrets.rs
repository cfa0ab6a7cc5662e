//! What holds secrets is not there, whichever project it is in, however its
//! path is written, and whoever asks.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use baton_protocol::words::AccessScope;
use serde_json::{Value, json};

use super::client::{Answer, Site};
use crate::world::World;

/// Stands in every secret file, and nowhere else.
const SECRET: &str = "the-secret-itself";

/// Files that hold a secret, below the folder that is the project here.
const FILES: &[&str] = &[
    "data/token",
    "data/config.yaml",
    "data/holders/one/journal",
    "home/.baton/token",
    "home/.claude/.credentials.json",
    "home/.claude/backups/old.json",
    "home/.claude.json",
    "home/.claude.json.backup.1",
    "home/.ssh/id_ed25519",
    "home/.gnupg/private-keys-v1.d/one.key",
    "home/.aws/credentials",
    "home/.azure/token",
    "home/.config/gh/hosts.yml",
    "home/.config/gcloud/credentials.db",
    "home/.netrc",
    "home/.npmrc",
    "home/.git-credentials",
    "home/.docker/config.json",
    "home/.kube/config",
    "home/.local/share/keyrings/login.keyring",
    "home/.password-store/bank.gpg",
    "home/.pgpass",
    "home/.cargo/credentials.toml",
];

/// The folder above all, as a repository and a project: its slug.
struct Scene {
    site: Site,
    root: PathBuf,
}

impl Scene {
    async fn new() -> Self {
        let site = Site::over(World::with_git().await, Default::default(), None).await;
        let root = site.world.sandbox.root().canonicalize().unwrap();
        for file in FILES {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            if !file.exists() {
                fs::write(&file, SECRET).unwrap();
            }
        }
        fs::write(root.join("home/.claude/settings.json"), "{}").unwrap();
        fs::write(root.join("home/.config/plain"), "plain").unwrap();
        let folder = root.display().to_string();
        let body = json!({"path": folder, "title": "all"});
        site.post("/api/v1/projects", body).await.expect(201);
        Self { site, root }
    }

    async fn slug(&self) -> String {
        let list = self.site.get("/api/v1/projects").await.expect(200);
        let items = list["items"].as_array().unwrap();
        let own = items.iter().find(|item| item["title"] == "all").unwrap();
        own["slug"].as_str().unwrap().to_owned()
    }

    /// Every way to the same file: its own path, written differently, and by
    /// names that lead to it.
    fn spellings(&self, file: &str, number: usize) -> Vec<String> {
        let links = self.root.join("project/links");
        fs::create_dir_all(&links).unwrap();
        let whole = self.root.join(file);
        let link = format!("link{number}");
        symlink(&whole, links.join(&link)).unwrap();
        let folder = format!("folder{number}");
        symlink(whole.parent().unwrap(), links.join(&folder)).unwrap();
        let twin = format!("twin{number}");
        fs::hard_link(&whole, links.join(&twin)).unwrap();
        let name = whole.file_name().unwrap().to_str().unwrap();
        vec![
            file.to_owned(),
            format!("./{file}"),
            file.replace('/', "//"),
            file.replace('/', "/./"),
            file.replace('.', "%2e").replace('/', "%2F"),
            file.to_uppercase(),
            format!("{file}/"),
            format!("project/links/{link}"),
            format!("project/links/{folder}/{name}"),
            format!("project/links/{twin}"),
        ]
    }
}

/// What was answered, without the path that was asked for.
fn told(answer: &Answer) -> (u16, Value) {
    let mut body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if let Some(detail) = body["detail"].as_str() {
        let quoted = detail.split('`').nth(1).unwrap_or_default().to_owned();
        body["detail"] = detail.replace(&quoted, "PATH").into();
    }
    body["instance"].take();
    (answer.status, body)
}

#[tokio::test]
async fn no_route_shows_a_secret_file_in_any_spelling_to_any_scope() {
    let scene = Scene::new().await;
    let slug = scene.slug().await;
    let mut tokens = vec![scene.site.token.clone()];
    for scope in [AccessScope::Observe, AccessScope::Operate] {
        tokens.push(scene.site.device(scope).await);
    }
    let mut asked = 0;
    for (number, file) in FILES.iter().enumerate() {
        for spelling in scene.spellings(file, number) {
            for (at, token) in tokens.iter().enumerate() {
                for base in ["/api/v1".to_owned(), format!("/p/{slug}/api/v1")] {
                    let get = async |route: &str, path: &str| {
                        let path = format!("{base}/projects/{slug}/{route}?path={path}");
                        scene.site.ask("GET", &path).bearer(token).send().await
                    };
                    for route in ["file", "files"] {
                        let answer = get(route, &spelling).await;
                        let nothing = get(route, "project/nothing").await;
                        assert_eq!(told(&answer), told(&nothing), "{route} {spelling} {at}");
                        asked += 1;
                    }
                    let answer = get("diff", &spelling).await;
                    let text = String::from_utf8_lossy(&answer.body).into_owned();
                    assert!(!text.contains(SECRET), "diff {spelling}: {text}");
                    // Only the first is asked for by all: each takes a process.
                    if number > 0 {
                        break;
                    }
                }
                if number > 0 {
                    break;
                }
            }
        }
    }
    assert!(asked > 500, "{asked}");
}

#[tokio::test]
async fn no_list_names_a_secret_file_or_folder() {
    let scene = Scene::new().await;
    let slug = scene.slug().await;
    for (number, file) in FILES.iter().enumerate() {
        scene.spellings(file, number);
    }
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        // Small pages: neither an entry nor a cursor names what is hidden.
        let mut cursor = String::new();
        loop {
            let path = format!(
                "/api/v1/projects/{slug}/files?path={folder}&limit=1{}",
                if cursor.is_empty() {
                    String::new()
                } else {
                    format!("&cursor={cursor}")
                }
            );
            let list = scene.site.get(&path).await.expect(200);
            for item in list["items"].as_array().unwrap() {
                let path = item["path"].as_str().unwrap().to_owned();
                if item["kind"] == "folder" {
                    folders.push(path.clone());
                }
                found.push(path);
            }
            match list["next"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => break,
            }
        }
    }
    for shown in [
        "home",
        "home/.claude/settings.json",
        "home/.config/plain",
        "project",
    ] {
        assert!(found.iter().any(|path| path == shown), "{shown}: {found:?}");
    }
    for hidden in FILES {
        assert!(!found.iter().any(|path| path == hidden), "{hidden}");
    }
    for part in [
        "data",
        "home/.ssh",
        "home/.baton",
        "links/link",
        "links/twin",
    ] {
        let named = found.iter().filter(|path| path.contains(part));
        assert_eq!(named.collect::<Vec<_>>(), Vec::<&String>::new(), "{part}");
    }
}

#[tokio::test]
async fn a_repository_that_holds_secrets_shows_no_change_of_theirs() {
    let scene = Scene::new().await;
    let git = |args: &[&str]| {
        let root = scene.root.display().to_string();
        let fixed = [
            "-C",
            &root,
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.invalid",
        ];
        let args = fixed.iter().chain(args).copied();
        scene.site.world.sandbox.run("git", args).expect_success();
    };
    git(&["init", "--quiet"]);
    fs::write(scene.root.join("home/plain"), "plain\n").unwrap();
    git(&["add", "--force", "home"]);
    git(&["commit", "--quiet", "--message", "one"]);
    // Changed, gone, renamed, linked and new.
    fs::write(scene.root.join("home/plain"), "changed\n").unwrap();
    fs::write(scene.root.join("home/.netrc"), format!("new {SECRET}\n")).unwrap();
    fs::remove_file(scene.root.join("home/.pgpass")).unwrap();
    git(&["mv", "home/.npmrc", "home/moved"]);
    fs::hard_link(scene.root.join("data/token"), scene.root.join("home/twin")).unwrap();
    git(&["add", "--intent-to-add", "home/twin"]);
    fs::write(scene.root.join("home/.ssh/new"), SECRET).unwrap();
    let token = fs::read_to_string(scene.root.join("data/token")).unwrap();
    let slug = scene.slug().await;
    let diff = scene
        .site
        .get(&format!("/api/v1/projects/{slug}/diff"))
        .await;
    let diff = diff.expect(200);
    let text = diff.to_string();
    assert!(text.contains("home/plain"), "{text}");
    assert!(
        !text.contains(SECRET) && !text.contains(token.trim()),
        "{text}"
    );
    for hidden in [".netrc", ".pgpass", ".npmrc", "twin", ".ssh", "data/"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
}

#[tokio::test]
async fn a_folder_of_secrets_is_no_project_and_no_agent_works_there() {
    let scene = Scene::new().await;
    let link = scene.root.join("project/to-data");
    symlink(scene.root.join("data"), &link).unwrap();
    let inner = scene.root.join("data/holders/one");
    for folder in [
        &scene.root.join("data"),
        &link,
        &inner,
        &scene.root.join("home/.ssh"),
    ] {
        let path = folder.display().to_string();
        let added = scene
            .site
            .post("/api/v1/projects", json!({"path": path}))
            .await;
        assert_eq!(added.problem().0, 400, "{path}");
        let mut client = scene.site.world.client("maker");
        let body = json!({"project": path, "agent": "demo"});
        let made = client.ask("create", None, body).await.unwrap_err();
        assert_eq!(made["status"], 400, "{made}");
    }
    let list = scene.site.get("/api/v1/projects").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 1, "{list}");
}

#[tokio::test]
async fn a_search_for_projects_finds_no_folder_of_secrets() {
    let world = World::new().await;
    let root = world.sandbox.root().canonicalize().unwrap();
    fs::create_dir_all(root.join("home/.ssh")).unwrap();
    fs::create_dir_all(root.join("home/code")).unwrap();
    let search = baton_server::ProjectSearch {
        roots: vec![root.clone(), root.join("home")],
        ..Default::default()
    };
    let world = world.searching(search);
    let found = world.api.scan_projects().await.unwrap();
    let paths = found.added.iter().map(|project| Path::new(&project.path));
    let names: Vec<_> = paths
        .map(|path| path.strip_prefix(&root).unwrap())
        .collect();
    assert!(names.contains(&Path::new("home/code")), "{names:?}");
    for hidden in ["data", "home/.ssh"] {
        assert!(!names.contains(&Path::new(hidden)), "{hidden}: {names:?}");
    }
}
