//! Options that write, run or load something: to be tried, and to be noticed
//! when a program that only notes its arguments was given one.

/// Programs that do nothing in the sandbox, and options with which the real
/// ones run a program, write where they are told, or load settings that do.
#[rustfmt::skip]
pub(super) const STRONG: &[(&str, &[&str])] = &[
    ("cargo", &["--config", "--manifest-path", "--target-dir", "--artifact-dir", "--out-dir", "-Z", "-C", "--lockfile-path", "--fix", "--allow-dirty"]),
    ("go", &["-o", "-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-C", "-ldflags", "-gcflags", "-asmflags", "-pkgdir", "-outputdir", "-cpuprofile", "-memprofile", "-trace", "-coverprofile", "-c", "-w", "-gccgoflags", "-compiler", "-modcacherw"]),
    ("mypy", &["--python-executable", "--cache-dir", "--config-file", "--install-types", "--junit-xml", "--html-report", "--xml-report", "--txt-report", "--custom-typeshed-dir", "--shadow-file", "--any-exprs-report", "--linecount-report"]),
    ("tsc", &["--outFile", "--outDir", "-p", "--project", "--build", "-b", "--init", "--declarationDir", "--tsBuildInfoFile", "--generateTrace", "--generateCpuProfile", "--rootDir", "-w", "--watch"]),
    ("ruff", &["--output-file", "-o", "--fix", "--unsafe-fixes", "--config", "--cache-dir", "--add-noqa", "--fix-only"]),
    ("pytest", &["-p", "-c", "--rootdir", "--junitxml", "--junit-xml", "--basetemp", "--pdbcls", "--confcutdir", "--override-ini", "-o", "--debug", "--log-file", "--pastebin", "--cov-report", "--cov-config", "--import-mode", "--pyargs"]),
    ("eslint", &["--fix", "-o", "--output-file", "-c", "--config", "--rulesdir", "--resolve-plugins-relative-to", "--plugin", "--parser", "-f", "--format", "--cache-location", "--init"]),
    ("prettier", &["--write", "-w", "--plugin", "--config", "--cache-location"]),
    ("black", &["--config"]),
    ("npm", &["--prefix", "-C", "--script-shell", "--node-options", "--userconfig", "--globalconfig", "--editor", "--shell", "--call", "--init-module", "--git", "--cache", "--workspace"]),
    ("pnpm", &["--script-shell", "--dir", "-C", "--shell-mode", "-c", "--config.script-shell"]),
    ("yarn", &["--cwd", "--script-shell", "--use-yarnrc", "--rc-path", "--modules-folder"]),
    ("make", &["--eval", "--file", "--makefile", "-f", "-C", "--directory", "-E", "-I"]),
    ("rg", &["--pre", "--hostname-bin", "--pre-glob"]),
    ("tree", &["-o", "-R"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("curl", &["-o", "-O", "-K", "-T", "--output", "--config", "--upload-file", "--remote-name", "--engine", "--output-dir", "-d", "-F", "--data"]),
    ("node", &["-e", "-r", "-p", "--eval", "--require", "--import", "--loader", "--print"]),
    ("python", &["-c", "-m"]),
    ("python3", &["-c", "-m"]),
    ("jest", &["--config", "--globalSetup", "--setupFiles", "--testRunner", "--outputFile", "-c", "--runner", "--reporters", "--updateSnapshot", "-u"]),
    ("vitest", &["--config", "--outputFile", "-c", "--update", "-u", "--globalSetup"]),
    ("docker", &["--config", "-H", "--host", "-c", "--context"]),
    ("gh", &["--jq", "-X", "--method", "-f", "-F", "--field", "--input"]),
];

/// Programs that read further options from a file that is given as `@FILE`.
pub(super) const RESPONSE_FILES: &[&str] = &["mypy", "pytest", "ruff", "strings", "tsc"];

/// Options to be tried on any program.
#[rustfmt::skip]
pub(super) const ALL: &[&str] = &[
    "-o", "-opwned", "--output=pwned", "--output", "-exec", "-delete", "-fprint", "-i", "-c", "-C",
    "-e", "-x", "-X", "-f", "-p", "-w", "-W", "-O", "-R", "--pre=./x.sh", "--exec=evil", "-ok",
    "--config=pwned", "--upload-pack=evil", "--ext-diff", "--textconv", "--in-place", "-execdir",
    "--checkpoint-action=exec=evil", "--compress-program=evil", "-T", "-K", "-I", "-F", "-s", "-S",
    "--files0-from=.env", "--exclude-from=.env", "--target-dir=pwned", "--manifest-path=pwned",
    "--outFile=pwned", "--outDir=pwned", "--fix", "--write", "--python-executable=./x.sh",
    "--output-file=pwned", "-toolexec=evil", "-ldflags=x", "--junitxml=pwned", "--cache-dir=pwned",
    "--script-shell=evil", "--prefix=/tmp", "--pager=evil", "-P", "--open-files-in-pager=evil",
    "--node-options=--require=./x", "--eval=x", "--delete", "--force", "-D", "-d", "-m", "-M", "-u",
    "--set-upstream-to=x", "--edit", "--unset-all", "--add", "--replace", "--prune", "--paginate",
    "--no-index", "--follow", "-L", "--dereference", "--files-from=sub/secret", "-fls", "--outp=pwned",
    "--git-dir=/tmp", "--work-tree=/tmp", "--exec-path=/tmp", "--help", "--version", "-h", "-V", "-v",
    "-d dereference-recurse", "--directories=dereference-recurse", "-nR", "--from=sub/secret",
    "--filter=*:evil", "--pager=evil", "--view=evil", "--config=.env", "--save-config=pwned",
    "--include-from=.env", "--save-config", "-vv", "-U1", "-L1,9:.env", "--patch-with-stat",
    "--patch", "-c sub/secret", "--slurpfile a .env", "--rawfile a .env", "--dereference-recursive",
    "--random-source=.env", "--fromfile", "--to-file=.env", "--contents=.env", "-f .env", "-rm",
    "--separate-git-dir=pwned", "--template=/tmp", "--receive-pack=evil", "-artifact-dir=pwned", "@x.sh",
];
