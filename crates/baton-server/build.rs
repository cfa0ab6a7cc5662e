//! Lists the built web interface, if there is one, to be compiled in.
//!
//! Files `x.br` and `x.gz` beside `x` are its compressed forms. Without
//! `web/dist` the list is empty and the program says how to build it.
#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script where to write through the environment"
)]

use std::{
    collections::BTreeMap,
    error::Error,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../../web/dist");
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("page_files.rs");
    let mut files = BTreeMap::new();
    if root.is_dir() {
        let root = root.canonicalize()?;
        rerun_if_changed(&root);
        collect(&root, &root, &mut files)?;
    } else {
        // The folder above, so that a first build of the page is noticed.
        rerun_if_changed(
            root.parent()
                .filter(|web| web.is_dir())
                .unwrap_or(Path::new("build.rs")),
        );
    }
    let mut text = String::from("static FILES: &[File] = &[\n");
    for (name, path) in &files {
        if name.ends_with(".br") || name.ends_with(".gz") {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        fs::read(path)?.hash(&mut hasher);
        let form = |suffix: &str| match files.get(&format!("{name}{suffix}")) {
            Some(path) => format!("Some(include_bytes!({path:?}))"),
            None => "None".to_owned(),
        };
        writeln!(
            text,
            "    File {{ path: {name:?}, etag: \"\\\"{:016x}\\\"\", plain: include_bytes!({path:?}), gzip: {}, brotli: {} }},",
            hasher.finish(),
            form(".gz"),
            form(".br"),
        )?;
    }
    text.push_str("];\n");
    fs::write(out, text)?;
    Ok(())
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn collect(
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<String, PathBuf>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if let Some(name) = path.strip_prefix(root)?.to_str() {
            files.insert(format!("/{name}"), path);
        }
    }
    Ok(())
}
