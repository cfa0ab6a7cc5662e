//! The files that a shell command names: as words, inside words, by patterns,
//! or without naming them at all.
//!
//! Everything here errs on the side of finding too much. Whether a command may
//! run because of what it names is decided elsewhere.

mod implied;

use std::path::{Path, PathBuf};

use self::implied::{follows_links, implied, is_git, may_show_settings};
use crate::call::Call;
use crate::glob::{PathGlob, Token};
use crate::paths::{PathForms, Paths};
use crate::shell::{
    self, CHANGES_FOLDER, Operands, Redirect, Script, Simple, Value, Word, expands_later,
};

/// The most files of a command that are looked at.
const MAX_MENTIONS: usize = 256;
/// How far into a command another one is looked for.
const MAX_INNER: usize = 32;
/// The most letters of options that may stand before a value.
const MAX_LETTERS: usize = 4;
/// The most folders that a command line may be in by turns.
const MAX_PLACES: usize = 8;

/// Programs that change every file they are given.
const CHANGERS: &[&str] = &[
    "chmod", "chown", "mkdir", "rm", "rmdir", "shred", "tee", "touch", "truncate", "unlink",
];

/// Where a command line may be when one of its commands runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Places {
    Known(Vec<PathBuf>),
    Unknown,
}

impl Places {
    /// Where its own commands may be.
    pub(crate) fn of(script: &Script, call: &Call<'_>, paths: &dyn Paths) -> Self {
        let commands: Vec<&Simple> = script.commands.iter().collect();
        Self::after(&commands, script.repeats, call, paths)
    }

    /// Where those may be that a shell would find in its texts.
    fn inside(script: &Script, call: &Call<'_>, paths: &dyn Paths) -> Self {
        let commands = script.commands.iter().chain(&script.inside.commands);
        let commands: Vec<&Simple> = commands.collect();
        Self::after(&commands, script.repeats, call, paths)
    }

    /// Follows every `cd`, whether it would come to run or not.
    fn after(commands: &[&Simple], repeats: bool, call: &Call<'_>, paths: &dyn Paths) -> Self {
        let mut places = vec![call.cwd.to_owned()];
        let mut moves = false;
        for simple in commands {
            let name = simple.program().unwrap_or_default();
            if !CHANGES_FOLDER.contains(&name) {
                continue;
            }
            moves = true;
            let target = match simple.words.as_slice() {
                [cd] if cd.text() == Some("cd") => Some(call.home.to_owned()),
                [cd, to] if cd.text() == Some("cd") => match &to.value {
                    Value::Known(to) if !to.starts_with(['-', '+']) => Some(PathBuf::from(to)),
                    Value::Home(rest) => Some(call.home.join(rest)),
                    Value::Known(_) | Value::Wild(_) | Value::Unknown { .. } => None,
                },
                _ => None,
            };
            let Some(target) = target else {
                return Self::Unknown;
            };
            for place in places.clone() {
                let next = PathForms::of(&target, &place, paths);
                for next in next.each() {
                    if !places.iter().any(|place| place == next) {
                        places.push(next.to_owned());
                    }
                }
            }
        }
        // A loop goes further with every round, and a variable may say where
        // `cd` looks first.
        let sets = |simple: &&Simple| !simple.assignments.is_empty();
        let unsure = repeats || commands.iter().any(sets);
        if call.moving || (moves && unsure) || places.len() > MAX_PLACES {
            return Self::Unknown;
        }
        Self::Known(places)
    }

    /// All that a path may mean; `None` if that cannot be told.
    fn forms(&self, path: &Path, paths: &dyn Paths) -> Option<Vec<PathForms>> {
        let at = |place: &PathBuf| PathForms::of(path, place, paths);
        match self {
            Self::Known(places) => Some(places.iter().map(at).collect()),
            Self::Unknown if path.is_absolute() => Some(vec![at(&PathBuf::from("/"))]),
            Self::Unknown => None,
        }
    }
}

/// A file that a redirection writes to.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) source: String,
    /// All that it may be; `None` when it is only known when it runs.
    pub(crate) paths: Option<Vec<PathForms>>,
}

impl Target {
    pub(crate) fn all(&self, holds: impl Fn(&PathForms) -> bool) -> bool {
        let paths = self.paths.as_deref().unwrap_or_default();
        !paths.is_empty() && paths.iter().all(holds)
    }
}

/// What a command does to the files that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    /// It looks at where they are, not at what they hold.
    Names,
    Reads,
    /// It is not known to change nothing.
    MayChange,
    Changes,
}

/// What a command names.
#[derive(Debug, Clone)]
pub(crate) enum Named {
    /// A file or a folder.
    Path(PathForms),
    /// The files below a folder that match a pattern.
    Pattern(PathForms, PathGlob),
    /// It may be any file. The word as it is written.
    Any(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Mention {
    pub(crate) named: Named,
    pub(crate) does: Use,
    /// It is a word of the command, and not only a part of one.
    pub(crate) certain: bool,
    pub(crate) sought: Sought,
    /// The command goes through links in the folders that it names.
    pub(crate) follows: bool,
}

/// Whether a word is a text that the program searches for or prints, and no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sought {
    Yes,
    No,
}

/// All files that a script names.
pub(crate) struct Files {
    pub(crate) writes: Vec<Target>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) cut: bool,
}

struct Finder<'a> {
    places: &'a Places,
    call: &'a Call<'a>,
    paths: &'a dyn Paths,
    found: Files,
    /// What is found is in a text that a shell may come to read.
    inside: bool,
    /// The command that is looked at goes through links.
    follows: bool,
}

pub(crate) fn named(script: &Script, places: &Places, call: &Call<'_>, paths: &dyn Paths) -> Files {
    let found = Files {
        writes: Vec::new(),
        mentions: Vec::new(),
        cut: false,
    };
    let inside = Places::inside(script, call, paths);
    let mut finder = Finder {
        places,
        call,
        paths,
        found,
        inside: false,
        follows: false,
    };
    for simple in &script.commands {
        finder.command(simple);
    }
    finder.places = &inside;
    finder.inside = true;
    for unseen in script.inside.made.iter().chain(&script.inside.hidden) {
        finder.add(
            Named::Any(unseen.clone()),
            Use::MayChange,
            false,
            Sought::No,
        );
    }
    for simple in &script.inside.commands {
        finder.command(simple);
    }
    if !script.commands.iter().all(shell::reads_only) {
        for text in &script.texts {
            finder.pieces(text, Use::MayChange, Sought::No);
        }
    }
    let Finder { mut found, .. } = finder;
    found.cut = found.mentions.len() > MAX_MENTIONS;
    found.mentions.truncate(MAX_MENTIONS);
    found
}

impl Finder<'_> {
    fn command(&mut self, simple: &Simple) {
        self.follows = follows_links(simple);
        for redirect in &simple.redirects {
            match redirect {
                Redirect::Write(word) => self.write(word),
                Redirect::Read(word) => self.word(word, Use::Reads, Sought::No),
            }
        }
        for assignment in &simple.assignments {
            self.pieces(assignment, Use::MayChange, Sought::No);
        }
        let program = simple.program().unwrap_or_default();
        let operands = shell::operands(program);
        let reads = shell::reads_only(simple);
        let does = match (reads, operands) {
            (true, Operands::Names) => Use::Names,
            (true, Operands::Text | Operands::AfterFirst | Operands::Files) => Use::Reads,
            (false, _) if CHANGERS.contains(&program) => Use::Changes,
            (false, _) => Use::MayChange,
        };
        if operands == Operands::Text && reads {
            // Names that match a pattern are all that it can tell of files.
            let patterns = simple.words.iter().skip(1);
            for word in patterns.filter(|word| matches!(word.value, Value::Wild(_))) {
                self.word(word, Use::Names, Sought::No);
            }
            return;
        }
        if simple.name().is_some_and(|name| name.contains('/')) {
            self.word(&simple.words[0], Use::Reads, Sought::No);
        }
        let pattern = match operands {
            Operands::AfterFirst => shell::pattern_of(&simple.words),
            Operands::Text | Operands::Names | Operands::Files => None,
        };
        if CHANGES_FOLDER.contains(&program)
            && let Places::Known(places) = self.places
        {
            // Where it leads is known; from there the word would mean another folder.
            for place in places.iter().skip(1) {
                let reached = PathForms::of(place, Path::new("/"), self.paths);
                self.add(Named::Path(reached), does, true, Sought::No);
            }
            return;
        }
        for (at, word) in simple.words.iter().enumerate().skip(1) {
            let sought = match pattern {
                Some(pattern) if pattern == at => Sought::Yes,
                Some(_) | None => Sought::No,
            };
            if !shell::is_message(&simple.words, at) {
                self.word(word, does, sought);
            }
        }
        // A program that runs others may run one of these.
        let inner = (0..simple.words.len().min(MAX_INNER)).filter(|at| *at == 0 || !reads);
        let implied = inner.filter_map(|at| implied(&simple.words[at..], reads, at > 0));
        // What git says of its settings is what that file holds.
        let quiet = reads && !shell::shows_git_settings(simple);
        if !quiet
            && may_show_settings(&simple.words)
            && self.paths.is_folder(&self.call.project.join(".git"))
        {
            let settings = Path::new(".git/config");
            let settings = PathForms::of(settings, self.call.project, self.paths);
            self.add(Named::Path(settings), Use::Reads, false, Sought::No);
        }
        if let Some(does) = implied.max() {
            if does == Use::MayChange && is_git(simple) {
                let tree = PathForms::of(self.call.project, Path::new("/"), self.paths);
                self.add(Named::Path(tree), does, false, Sought::No);
            }
            let here = Word {
                source: ".".to_owned(),
                value: Value::Known(".".to_owned()),
            };
            self.word(&here, does, Sought::No);
        }
    }

    fn write(&mut self, word: &Word) {
        if self.inside {
            return self.word(word, Use::MayChange, Sought::No);
        }
        let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr"];
        if word.text().is_some_and(|text| harmless.contains(&text)) {
            return;
        }
        let paths = match &word.value {
            Value::Known(text) => self.places.forms(Path::new(text), self.paths),
            Value::Home(rest) => Some(vec![self.at_home(rest)]),
            Value::Wild(_) | Value::Unknown { .. } => None,
        };
        self.found.writes.push(Target {
            source: word.source.clone(),
            paths,
        });
    }

    fn at_home(&self, rest: &str) -> PathForms {
        PathForms::of(Path::new(rest), self.call.home, self.paths)
    }

    fn add(&mut self, named: Named, does: Use, certain: bool, sought: Sought) {
        // One more than is looked at says that there are more.
        if self.found.mentions.len() <= MAX_MENTIONS {
            self.found.mentions.push(Mention {
                named,
                does,
                certain: certain && !self.inside,
                sought,
                follows: self.follows,
            });
        }
    }

    fn word(&mut self, word: &Word, does: Use, sought: Sought) {
        match &word.value {
            Value::Known(text) => {
                let value = match text.strip_prefix('-') {
                    // `--file=.env` and `-f.env`.
                    Some(option) => option.split_once('=').map(|(_, value)| value),
                    None => Some(text.as_str()),
                };
                if let Some(value) = value {
                    self.path(value, does, sought);
                }
                // A program that runs it may put any name in.
                if does == Use::MayChange && expands_later(text) {
                    self.add(Named::Any(word.source.clone()), does, false, Sought::Yes);
                }
                // What an option has attached may well be a file.
                if text.starts_with('-') {
                    self.pieces(text, does, sought);
                } else if text.contains(separates) {
                    self.pieces(text, does, Sought::Yes);
                }
            }
            Value::Home(rest) => self.add(Named::Path(self.at_home(rest)), does, true, sought),
            Value::Wild(tokens) => {
                // Where nothing matches, the word itself is the name.
                let text: String = tokens.iter().map(Token::plain).collect();
                self.pieces(&text, does, sought);
                for named in self.pattern(tokens, &word.source) {
                    self.add(named, does, true, sought);
                }
            }
            Value::Unknown { .. } => {
                self.add(Named::Any(word.source.clone()), does, true, sought);
                // What is written of a program's text may name a file plainly.
                if does == Use::MayChange {
                    self.pieces(&word.source, does, Sought::Yes);
                }
            }
        }
    }

    fn path(&mut self, path: &str, does: Use, sought: Sought) {
        if path.is_empty() {
            return;
        }
        match self.places.forms(Path::new(path), self.paths) {
            Some(forms) => {
                for form in forms {
                    self.add(Named::Path(form), does, true, sought);
                }
            }
            None => self.add(Named::Any(path.to_owned()), does, true, sought),
        }
    }

    /// Every part of a text that may be a path, as `a:b`, `x=y` and quoted
    /// programs have them.
    fn pieces(&mut self, text: &str, does: Use, sought: Sought) {
        let text = &*text.replace("${HOME}", "~").replace("$HOME", "~");
        let bare = text.replace(['\'', '"', '\\'], "");
        let again = Some(&bare).filter(|bare| *bare != text);
        let parts = text.split(separates);
        let parts = parts.chain(again.into_iter().flat_map(|bare| bare.split(separates)));
        let parts: Vec<String> = parts
            .flat_map(|part| std::iter::once(part).chain(attached(part)))
            .map(str::to_owned)
            .collect();
        for part in &parts {
            if !part.contains(|c: char| c.is_alphanumeric()) {
                continue;
            }
            // A program may put the home in by itself.
            if let Some(rest) = part.strip_prefix("~/") {
                self.add(Named::Path(self.at_home(rest)), does, false, sought);
            }
            match self.places.forms(Path::new(part), self.paths) {
                Some(forms) => {
                    for form in forms {
                        self.add(Named::Path(form), does, false, sought);
                    }
                }
                None => self.add(Named::Any(part.clone()), does, false, sought),
            }
        }
    }

    /// The folder before the first wildcard, and the pattern below it.
    fn pattern(&self, tokens: &[Token], source: &str) -> Vec<Named> {
        let names: Vec<&[Token]> = tokens.split(|token| *token == Token::Char('/')).collect();
        let plain = |name: &&[Token]| name.iter().all(|token| matches!(token, Token::Char(_)));
        let lead = names.iter().take_while(|name| plain(name)).count();
        let text = |name: &[Token]| name.iter().map(Token::plain).collect::<String>();
        let folder: Vec<String> = names[..lead].iter().map(|name| text(name)).collect();
        let mut folder = folder.join("/");
        if folder.is_empty() {
            folder = if lead > 0 { "/" } else { "." }.to_owned();
        }
        let rest = names[lead..].iter().filter(|name| !name.is_empty());
        let Some(glob) = PathGlob::of_names(rest.copied()) else {
            return vec![Named::Any(source.to_owned())];
        };
        match self.places.forms(Path::new(&folder), self.paths) {
            Some(forms) => {
                let forms = forms.into_iter();
                forms
                    .map(|form| Named::Pattern(form, glob.clone()))
                    .collect()
            }
            None => vec![Named::Any(source.to_owned())],
        }
    }
}

/// What may be the value of a short option that has it attached, behind one
/// letter or more: `-tsub`, `-qPsub`.
fn attached(part: &str) -> impl Iterator<Item = &str> {
    let option = part.strip_prefix('-').unwrap_or_default();
    let letters = option.bytes().take_while(u8::is_ascii_alphabetic).count();
    let most = if option.starts_with('-') {
        1
    } else {
        letters.clamp(1, MAX_LETTERS)
    };
    (1..=most).filter_map(|at| option.get(at..).filter(|rest| !rest.is_empty()))
}

/// Whether a character stands between paths in texts that hold some.
fn separates(c: char) -> bool {
    c.is_whitespace() || "=:@,;'\"`()[]{}<>|&$!".contains(c)
}
