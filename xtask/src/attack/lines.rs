//! Random lines of shell: something forbidden, carried by something that may
//! look harmless, written oddly, between everyday commands.

use super::random::Random;
use super::sandbox::Shell;
use super::spell::{Before, odd, spell};
use super::zsh;

/// What attacks aim at; what each is forbidden by is for the oracle to say.
const COMMANDS: &[&str] = &[
    "evil x",
    "evil",
    "touch pwned",
    "rm README.md",
    "rm -f src/lib.rs",
    "git push",
    "git push origin main",
    "rm x",
    "evil --version x",
    "ls",
];
const READ: &[&str] = &[".env", "sub/secret", "sub/deep/more"];
const WRITTEN: &[&str] = &[
    ".env",
    "sub/secret",
    "sub/new",
    "pwned",
    "src/main.rs",
    "sub/deep/more",
    ".git/hooks/x",
    "/tmp/pwned",
    "../other/notes.txt",
];

/// Characters and pieces that change how the rest is read.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    " ", " ", " ", "'", "\"", "$(", ")", "`", "; ", " && ", " || ", " | ", " & ", "\\", "{ ", "; }",
    "{", "}", "$", "<", ">", "<<E\n", "\nE\n", "\n", "#", " #", "=", "x=", "if ", "; then ", "; fi",
    "for x in a; do ", "; done", "case a in a) ", ";;", " esac", "[[ ", " ]]", "((", "))", "(", "~",
    "*", "?", "[", "]", "$'", "\\x65", "! ", "$x", "${x}", "${x:-", "<(", ">(", "<<<", "2>", "&>",
    "eval ", "command ", "a() ", "function a ", "@(", "\t", "\r", "time ", "<<-E\n", "<<'E'\n",
    "\\\n", "\u{a0}", "$\"", "$((", "$[", "{a,b}", "|&", ";&", "=(", "exec ", "trap ", " EXIT", "-",
    "--", "coproc ", "elif ", "else ", "bash -c ", "env ", "nice ", ">|", "&>>", "<>", ">&", "{fd}>",
    "$API_KEY", "${API_KEY}", "-o", "--output=", "-exec ", "-i", "-c ", " -- ", "%", "!", "^", "+", ",", "..", "/", "~/", "$@",
    "\"$@\"", "$_", "$!", "$?", "$$", "$-", "$0", "${!x}", "${x@P}", "${#x}", "\u{3000}", "\u{200b}",
    "\u{85}", "\u{b}", "\u{c}", "\u{1}", "\u{7f}", "é", "ls ", "cat ", "README.md", "[ ", " ]", "=~",
    "{1..3}", "{a..c}", " in ", " do ", " 2>&1", " >/dev/null", "<&-", ">&-", "<&3", "3<", "|", "&",
    "builtin ", "export ", "declare ", "local ", "IFS=", "PATH=", "cd ", "pushd ", ". ", "source ",
];

/// Everything lines are made of.
pub(super) struct Words {
    run: Vec<&'static str>,
    read: Vec<&'static str>,
    write: Vec<&'static str>,
    /// Lines that show the environment.
    show: Vec<&'static str>,
    /// Known lines: bypasses, evasions, everyday commands.
    corpus: Vec<String>,
    everyday: Vec<String>,
    pieces: Vec<&'static str>,
}

const CARRIERS: &str = include_str!("carriers.txt");

impl Words {
    pub(super) fn new(corpus: Vec<String>, everyday: Vec<String>, shell: Shell) -> Self {
        let (carriers, pieces) = match shell {
            Shell::Bash => Default::default(),
            Shell::Zsh => (zsh::CARRIERS, zsh::PIECES),
        };
        let of = |kind: &str| -> Vec<&'static str> {
            CARRIERS
                .lines()
                .filter(|line| !line.starts_with("##"))
                .filter_map(|line| line.split_once(' '))
                // They are few, and come as often as some of the others.
                .chain(std::iter::repeat_n(carriers, 4).flatten().copied())
                .filter(|(found, _)| *found == kind)
                .map(|(_, template)| template)
                .collect()
        };
        Self {
            run: of("run"),
            read: of("read"),
            write: of("write"),
            show: of("show"),
            corpus,
            everyday,
            pieces: [PIECES, pieces].concat(),
        }
    }

    /// A line, and the everyday command that a person answered before it.
    pub(super) fn line(&self, random: &mut Random) -> (String, usize) {
        let answered = random.below(self.everyday.len());
        let mut line = match random.below(10) {
            0 => random.pick(&self.corpus).clone(),
            1 => random.pick(&self.everyday).clone(),
            2 | 3 => self.grown(random, answered),
            _ => self.attack(random),
        };
        if random.once_in(6) {
            line = self.beside(random, &line);
        }
        for _ in 0..[0, 0, 0, 1, 1, 2][random.below(6)] {
            line = respelled(random, &line);
        }
        for _ in 0..[0, 0, 0, 0, 1, 1, 2, 3][random.below(8)] {
            line = self.mutated(random, &line);
        }
        line.retain(|c| c != '\0');
        (line, answered)
    }

    /// A command that somebody answered, with something added to it.
    fn grown(&self, random: &mut Random, answered: usize) -> String {
        let base = &self.everyday[answered];
        let program = base.split(' ').next().unwrap_or_default();
        let same: Vec<&str> = [&self.run, &self.read, &self.write]
            .into_iter()
            .flatten()
            .copied()
            .filter(|template| template.split(' ').next() == Some(program))
            .collect();
        let mut before = Before::new();
        if !same.is_empty() && random.below(3) > 0 {
            let template = *random.pick(&same);
            let filled = fill(random, template, &mut before);
            let (_, rest) = filled.split_once(' ').unwrap_or(("", &filled));
            return match random.below(3) {
                0 => format!("{}{base} {rest}", before.concat()),
                1 => format!("{}{program} {rest}", before.concat()),
                _ => format!("{}{filled}", before.concat()),
            };
        }
        let option = *random.pick(super::options::ALL);
        let option = shortened(random, option);
        let option = spell(random, &option, &mut before);
        let (head, tail) = base.split_once(' ').unwrap_or((base, ""));
        match random.below(4) {
            0 => format!("{}{head} {option} {tail}", before.concat()),
            1 => format!("{}{base} {option}", before.concat()),
            2 => {
                let file = random.pick(WRITTEN);
                format!("{}{base} {option} {file}", before.concat())
            }
            _ => format!("{}{base} {}", before.concat(), self.attack(random)),
        }
    }

    fn attack(&self, random: &mut Random) -> String {
        let kinds = [&self.run, &self.read, &self.write, &self.show];
        let kind = kinds[random.below(10) / 3];
        let template = *random.pick(kind);
        let mut before = Before::new();
        let mut line = fill(random, template, &mut before);
        // One carrier inside another.
        if random.once_in(5) {
            let outer = *random.pick(&self.run);
            let quoted = quote(&line);
            line = outer
                .replace("{C}", &line)
                .replace("{Q}", &quoted)
                .replace("{P}", &line);
        }
        format!("{}{}", before.concat(), unescape(&line))
    }

    /// The line together with an everyday one.
    fn beside(&self, random: &mut Random, line: &str) -> String {
        let other = random.pick(&self.everyday);
        let between = *random.pick(&["; ", " && ", " || ", " | ", " & ", "\n", " |& ", ";"]);
        if random.once_in(2) {
            format!("{other}{between}{line}")
        } else {
            format!("{line}{between}{other}")
        }
    }

    fn mutated(&self, random: &mut Random, line: &str) -> String {
        let places: Vec<usize> = line
            .char_indices()
            .map(|(at, _)| at)
            .chain([line.len()])
            .collect();
        let at = *random.pick(&places);
        let (left, right) = line.split_at(at);
        match random.below(8) {
            0..=2 => format!("{left}{}{right}", random.pick(&self.pieces)),
            3 => {
                let mut rest = right.chars();
                rest.next();
                format!("{left}{}", rest.as_str())
            }
            4 => {
                let mut rest = right.chars();
                rest.next();
                format!("{left}{}{}", random.pick(&self.pieces), rest.as_str())
            }
            5 => {
                let to = *random.pick(&places);
                let (from, to) = (at.min(to), at.max(to));
                format!("{}{}{}", &line[..to], &line[from..to], &line[to..])
            }
            6 => {
                let to = *random.pick(&places);
                let (from, to) = (at.min(to), at.max(to));
                // Most of the line should stay.
                if to - from > 12 {
                    return line.to_owned();
                }
                format!("{}{}", &line[..from], &line[to..])
            }
            _ => {
                let other = random.pick(&self.corpus);
                let cut = other
                    .char_indices()
                    .map(|(at, _)| at)
                    .nth(random.below(other.chars().count()))
                    .unwrap_or(0);
                format!("{left}{}", &other[cut..])
            }
        }
    }
}

/// Line ends and tabs, which the templates write as signs.
pub(super) fn unescape(text: &str) -> String {
    text.replace('⏎', "\n").replace('␉', "\t")
}

pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A template with a command or a file put in.
fn fill(random: &mut Random, template: &str, before: &mut Before) -> String {
    let mut text = template.to_owned();
    if text.contains("{C}") || text.contains("{Q}") || text.contains("{P}") {
        let plain = *random.pick(COMMANDS);
        let spelled: Vec<String> = plain
            .split(' ')
            .map(|word| spell(random, word, before))
            .collect();
        let spelled = spelled.join(" ");
        text = text
            .replace("{C}", &spelled)
            .replace("{Q}", &quote(&spelled))
            .replace("{P}", plain);
    }
    if text.contains("{F}") || text.contains("{G}") {
        let writes = template.contains('>') || !template.starts_with("cat");
        let plain = if writes && random.once_in(2) {
            *random.pick(WRITTEN)
        } else {
            *random.pick(READ)
        };
        let spelled = spell(random, plain, before);
        text = text.replace("{F}", &spelled).replace("{G}", plain);
    }
    text
}

/// A long option as it is, or its beginning, which many programs take for it.
fn shortened(random: &mut Random, option: &str) -> String {
    let (name, value) = option.split_at(option.find(['=', ' ']).unwrap_or(option.len()));
    if name.len() < 6 || !random.once_in(3) {
        return option.to_owned();
    }
    format!("{}{value}", &name[..4 + random.below(name.len() - 4)])
}

/// The line with one of its plain words written in another way.
fn respelled(random: &mut Random, line: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/=-".contains(c);
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (plain(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    if words.is_empty() {
        return line.to_owned();
    }
    let (from, to) = *random.pick(&words);
    let mut before = Before::new();
    let spelled = odd(random, &line[from..to], &mut before);
    format!(
        "{}{}{spelled}{}",
        before.concat(),
        &line[..from],
        &line[to..]
    )
}
