use std::os::unix::fs::symlink;

use super::*;

/// A folder with files, each of which holds its name.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new(files: &[&str]) -> Self {
        let place = Self {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(place.base()).unwrap();
        for name in files {
            let path = place.base().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        place
    }

    fn base(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("home/p")
    }

    fn scan(&self) -> Scan {
        let home = self.base().parent().unwrap().to_owned();
        let mut scan = Scan::new(&self.base(), &home);
        scan.variables.insert("SET".into(), "hk".into());
        scan
    }

    fn shown(&self, mut found: Vec<PathBuf>) -> Vec<String> {
        found.sort();
        found.dedup();
        let base = self.base();
        let names = found.iter().map(|path| path.strip_prefix(&base).unwrap());
        names.map(|name| name.display().to_string()).collect()
    }

    /// What is part of what is accepted.
    fn names(&self, command: &str) -> Vec<String> {
        let base = self.base();
        let look = Look::new(&self.scan(), &base, command, Runs::Here);
        let named = look.files().0.into_iter();
        self.shown(named.filter(|path| is_script(path)).collect())
    }

    /// What is guarded.
    fn kept(&self, command: &str, runs: Runs) -> Vec<String> {
        let mut scan = self.scan();
        of_command(&mut scan, &self.base(), command, runs);
        self.shown(scan.scripts)
    }

    /// Whether an edit of a file is asked about because of a command.
    fn guards(&self, command: &str, file: &str, runs: Runs) -> bool {
        let kept = self.kept(command, runs);
        kept.iter().any(|one| {
            let (lead, tail) = one.split_once('*').unwrap_or((one, ""));
            file == one || (one.contains('*') && file.starts_with(lead) && file.ends_with(tail))
        })
    }
}

#[test]
fn scripts_are_found_by_the_words_of_a_command() {
    let place = Place::new(&["scripts/h.sh", "run.py", "Makefile", "hook.py", "hook.log"]);
    let none: Vec<String> = Vec::new();
    assert_eq!(place.names("sh scripts/h.sh"), ["scripts/h.sh"]);
    assert_eq!(place.names("cd scripts && ./h.sh"), ["scripts/h.sh"]);
    assert_eq!(
        place.names("\"$CLAUDE_PROJECT_DIR\"/scripts/h.sh -x"),
        ["scripts/h.sh"]
    );
    assert_eq!(place.names("python3 run.py --all"), ["run.py"]);
    assert_eq!(place.names("python3 -m hook"), ["hook.py"]);
    assert_eq!(place.names("make -s check"), ["Makefile"]);
    assert_eq!(place.names("touch made; echo hello >> hook.log"), none);
    assert_eq!(place.names("/bin/sh -c true"), none);
}

#[test]
fn scripts_are_found_however_they_are_spelled() {
    let place = Place::new(&["hk/g.sh", "hk/my own.sh", "Mine.mk", "x.sh"]);
    symlink("hk/g.sh", place.base().join("link.sh")).unwrap();
    symlink("p", place.base().parent().unwrap().join("other")).unwrap();
    let base = place.base();
    let whole = |rest: &str| format!("sh {}/{rest}", base.display());
    for command in [
        "\"$(git rev-parse --show-toplevel)\"/hk/g.sh",
        "D=hk; sh $D/g.sh",
        "D=hk; sh \"${D}/g.sh\"",
        "sh ~/p/hk/g.sh",
        "sh ~//p/hk/g.sh",
        "sh $HOME/p/hk/g.sh",
        "sh \"${HOME}\"/p/hk/g.sh",
        "sh ${CLAUDE_PROJECT_DIR:-.}/hk/g.sh",
        "sh ${CLAUDE_PROJECT_DIR%/}/hk/g.sh",
        "sh $SET/g.sh",
        "sh ./hk/../hk/g.sh",
        "sh ../p/hk/g.sh",
        "sh ~/other/hk/g.sh",
        "sh 'hk'/\"g\".s\\h",
        "bash -c 'cd hk && ./g.sh'",
        "env X=1 sh -x hk/g.sh",
        "node --require=hk/g.sh",
        "node --require=./hk/g.sh",
        "awk -fhk/g.sh",
        "x --hooks=a:hk/g.sh",
        "sh hk/g*",
        "sh hk/?.sh",
        "sh hk/[a-h].sh",
        "sh hk/{f,g}.sh",
        &whole("hk/g.sh"),
    ] {
        let names = place.names(command);
        assert!(
            names.contains(&"hk/g.sh".to_owned()),
            "{command}: {names:?}"
        );
        assert!(place.guards(command, "hk/g.sh", Runs::Here), "{command}");
    }
    assert_eq!(place.names("sh 'hk/my own.sh'"), ["hk/my own.sh"]);
    assert_eq!(place.names("sh hk/my\\ own.sh"), ["hk/my own.sh"]);
    assert!(place.guards("sh link.sh", "hk/g.sh", Runs::Here));
    assert_eq!(place.kept("make -fMine.mk", Runs::Here), ["Mine.mk"]);
}

#[test]
fn what_is_not_there_yet_is_guarded() {
    let place = Place::new(&["src/a.ts"]);
    symlink("later/real.sh", place.base().join("link.sh")).unwrap();
    for (command, file) in [
        ("sh hk/new.sh", "hk/new.sh"),
        ("sh new", "new"),
        ("./new", "new"),
        (". ./env", "env"),
        ("make -f Other", "Other"),
        ("make --file=Other.mk", "Other.mk"),
        ("node --require ./x.cjs", "x.cjs"),
        ("sh link.sh", "later/real.sh"),
        // Only a part is known.
        ("sh $X/h.sh", "h.sh"),
        ("sh $X/h.sh", "any/where/h.sh"),
        ("sh \"$(dirname \"$0\")\"/tool/h.py", "deep/tool/h.py"),
        ("sh hk/$NAME.sh", "hk/any.sh"),
        ("sh hk/*.sh", "hk/new.sh"),
        ("cd $X && ./s.sh", "sub/s.sh"),
    ] {
        assert!(place.guards(command, file, Runs::Here), "{command}: {file}");
    }
    assert!(!place.guards("sh s.sh", "sub/s.sh", Runs::Here));
    assert!(place.guards("sh s.sh", "sub/s.sh", Runs::Anywhere));
    assert!(place.guards("bin/tool", "sub/bin/tool", Runs::Anywhere));
}

#[test]
fn where_nothing_of_what_is_run_is_known_every_script_is_guarded() {
    let place = Place::new(&[]);
    for command in [
        "$RUN",
        "sh \"$RUN\"",
        "eval \"$(cat x)\"",
        "bash -c \"$RUN\"",
        ". $RUN",
    ] {
        let mut scan = place.scan();
        let found = of_command(&mut scan, &place.base(), command, Runs::Here);
        assert!(found.untold, "{command}");
        let kept = place.shown(scan.scripts);
        for one in ["*.py", "*/*.sh", "?", "*/?"] {
            assert!(kept.contains(&one.to_owned()), "{command}: {kept:?}");
        }
    }
    // What is formatted is not run.
    for command in [
        "f=$(jq -r .tool_input.file_path); prettier --write \"$f\"",
        "jq -r .tool_input.file_path | xargs prettier --write",
        "npx eslint --fix \"$CLAUDE_FILE\"",
        "echo \"$X\" >> log.txt",
    ] {
        let mut scan = place.scan();
        let found = of_command(&mut scan, &place.base(), command, Runs::Here);
        assert!(!found.untold, "{command}");
        let kept = place.shown(scan.scripts);
        assert!(
            !kept.iter().any(|one| one.contains('*')),
            "{command}: {kept:?}"
        );
    }
}

#[test]
fn what_is_named_in_a_roundabout_way_is_found_or_guarded() {
    let files = [
        "hk/g.sh",
        "hk/s",
        "nd/index.js",
        "tools/lint",
        "package.json",
        "src/a.ts",
    ];
    let place = Place::new(&files);
    let kept = |command: &str| place.kept(command, Runs::Here);
    let none: Vec<String> = Vec::new();
    // Without an ending or leave to be run it is not part of what was accepted.
    assert_eq!(place.names("sh hk/s"), none);
    assert_eq!(kept("sh hk/s"), ["hk/s"]);
    assert!(kept("cd hk && sh ./s").contains(&"hk/s".to_owned()));
    assert_eq!(kept("sh ${CLAUDE_PROJECT_DIR:-.}/hk\\/s"), ["hk/s"]);
    assert!(kept("npx ./nd").contains(&"nd".to_owned()));
    assert!(kept("node ./nd").contains(&"nd".to_owned()));
    assert!(kept("run-parts hk").contains(&"hk".to_owned()));
    let path = kept("PATH=./tools:$PATH lint");
    assert!(path.contains(&"tools".to_owned()), "{path:?}");
    assert!(kept("PATH=/usr/bin:tools x").contains(&"tools".to_owned()));
    let looped = kept("for f in hk/*.sh; do sh $f; done");
    assert!(looped.contains(&"hk".to_owned()), "{looped:?}");
    assert!(kept("npm run lint").contains(&"package.json".to_owned()));
    // What a formatter is pointed at is edited all day.
    assert_eq!(kept("npx prettier --write src"), none);
    assert_eq!(place.names("npx prettier --write src"), none);
    assert_eq!(kept("eslint src/*.ts"), none);
}
