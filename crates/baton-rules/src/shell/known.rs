//! Programs that only read, and the options of each that are known to do no
//! more than choose what is read of the files that are named, and how it is
//! shown. Whatever is not listed may run, write, or read something else.
//!
//! An option is listed only if it means such a thing wherever the program goes
//! by this name: `grep` is GNU's, a BSD's, or the `ugrep` that an agent brings.

use super::arguments::{Arguments, read};
use super::git::is_beyond_reading;
use super::{Simple, Word};

/// Which arguments of a program are files that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// None of them.
    Text,
    /// Names only: it looks at where files are, not at what they hold.
    Names,
    /// All but the first, which is a pattern or a program of its own.
    AfterFirst,
    Files,
}

use Operands::{AfterFirst, Files, Names, Text};

/// Each with its options, in the form that `arguments` reads.
#[rustfmt::skip]
const READERS: &[(&str, Operands, &str)] = &[
    ("[", Names, ""),
    ("arch", Text, ""),
    ("awk", AfterFirst, "-Fv="),
    ("b2sum", Files, SUM),
    ("base32", Files, "-di -w= --decode --ignore-garbage --wrap="),
    ("base64", Files, "-di -w= --decode --ignore-garbage --wrap="),
    ("basename", Text, "-az -s= --multiple --suffix= --zero"),
    ("cat", Files, "-AbeElnstTuv --show-all --number --number-nonblank --show-ends --show-tabs --show-nonprinting --squeeze-blank"),
    ("cd", Names, "-LPe"),
    ("cksum", Files, SUM),
    ("cmp", Files, "-bls -in= --print-bytes --verbose --quiet --silent --bytes= --ignore-initial="),
    ("column", Files, "-txnJeRL -scoNHTWEOrpi= --table --separator= --output-separator= --table-columns= --table-right= --json --fillrows --output-width="),
    ("comm", Files, "-123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated"),
    ("cut", Files, "-snz -bcdf= --bytes= --characters= --delimiter= --fields= --only-delimited --complement --output-delimiter= --zero-terminated"),
    ("date", Files, "-uRjn -dr= -I? --date= --reference= --utc --universal --iso-8601? --rfc-3339= --rfc-email"),
    ("df", Names, "-ahHiklmPTgb -xtB= --all --human-readable --inodes --local --portability --print-type --si --total --type= --exclude-type= --block-size= --output?"),
    ("diff", Files, "-abBcdeEhiHnNpqrstTuwyZ# -CUWIFxSDL= --brief --context? --unified? --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-tab-expansion --ignore-matching-lines= --minimal --no-dereference --report-identical-files --side-by-side --width= --suppress-common-lines --left-column --strip-trailing-cr --text --color? --exclude= --normal --show-c-function --label= --speed-large-files --expand-tabs --initial-tab"),
    ("dirname", Text, "-z --zero"),
    ("du", Names, "-0abcDhHklLmPsSx -dtB= --all --apparent-size --block-size= --bytes --total --dereference --dereference-args --max-depth= --human-readable --inodes --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time? --time-style= --exclude= --one-file-system --null"),
    ("echo", Text, "-neE"),
    ("egrep", AfterFirst, GREP),
    ("expand", Files, "-i# -t= --initial --tabs="),
    ("false", Text, ""),
    ("fgrep", AfterFirst, GREP),
    ("file", Files, "-bhikLNprv0 -F= --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --no-pad --preserve-date --raw --separator= --print0 --extension --version"),
    ("find", Names, ""),
    ("fmt", Files, "-cstu# -wpg= --crown-margin --split-only --tagged-paragraph --uniform-spacing --width= --goal= --prefix="),
    ("fold", Files, "-bs# -w= --bytes --spaces --width="),
    ("free", Text, "-bkmghtlwv --bytes --kibi --mebi --gibi --human --si --total --wide --lohi"),
    ("git", Files, ""),
    ("grep", AfterFirst, GREP),
    ("groups", Text, ""),
    ("head", Files, "-qvz# -cn= --bytes= --lines= --quiet --silent --verbose --zero-terminated"),
    ("hexdump", Files, "-bcCdovx -nse= --canonical --length= --skip= --no-squeezing"),
    ("hostname", Text, ""),
    ("id", Text, "-aGgnruzPp --group --groups --name --real --user --zero"),
    ("join", Files, "-iz -aejotv12= --ignore-case --check-order --nocheck-order --header --zero-terminated"),
    ("jq", AfterFirst, "-acCejMnrRsS --arg== --argjson== --args --jsonargs --ascii-output --color-output --compact-output --exit-status --indent= --join-output --monochrome-output --null-input --raw-input --raw-output --raw-output0 --seq --slurp --sort-keys --stream --tab --unbuffered"),
    ("ls", Names, "-aAbBcCdDeEfFgGhHikKlLmnNoOpPqQrRsStuUvxXyZ1@% -wTI= --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --dereference-command-line --hide= --hyperlink? --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --zero"),
    ("md5sum", Files, SUM),
    ("nl", Files, "-p -bdfhilnsvw= --body-numbering= --number-format= --number-separator= --number-width= --starting-line-number="),
    ("nproc", Text, "--all --ignore="),
    ("od", Files, "-abcdfhilosvx -AjNStw= --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width?"),
    ("paste", Files, "-sz -d= --delimiters= --serial --zero-terminated"),
    ("printf", Text, ""),
    ("ps", Text, ""),
    ("pwd", Text, "-LP --logical --physical"),
    ("readlink", Names, "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero"),
    ("realpath", Names, "-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --relative-to= --relative-base= --zero"),
    ("rev", Files, ""),
    ("rg", AfterFirst, "-0.abchFHiIlLnNopPqsSUuvVwx -ABCdefgjmMrtTE= --after-context= --before-context= --context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --context-separator= --count --count-matches --crlf --encoding= --engine= --files --files-with-matches --files-without-match --fixed-strings --follow --glob= --glob-case-insensitive --heading --hidden --iglob= --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --max-filesize= --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-unicode --null --null-data --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --regexp= --replace= --smart-case --sort= --sortr= --stats --text --threads= --trim --type= --type-add= --type-clear= --type-list --type-not= --unrestricted --version --vimgrep --with-filename --word-regexp"),
    ("sed", AfterFirst, "-nErsuz -e= --quiet --silent --regexp-extended --expression= --null-data --separate --unbuffered"),
    ("seq", Text, "-w# -fst= --equal-width --format= --separator="),
    ("sha1sum", Files, SUM),
    ("sha224sum", Files, SUM),
    ("sha256sum", Files, SUM),
    ("sha384sum", Files, SUM),
    ("sha512sum", Files, SUM),
    ("sleep", Text, ""),
    ("sort", Files, "-bcCdfghiMmnrRsuVz -ktS= --check? --dictionary-order --field-separator= --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --key= --merge --month-sort --numeric-sort --parallel= --random-sort --reverse --stable --unique --version-sort --zero-terminated"),
    ("stat", Names, "-fFlLnqrstx -c= --dereference --file-system --format= --printf= --terse"),
    // `@FILE` brings options from a file.
    ("strings", Files, "-afow# -nte= --all --bytes= --radix= --print-file-name --encoding= --include-all-whitespace"),
    ("sum", Files, "-rs --sysv"),
    ("tac", Files, "-br -s= --before --regex --separator="),
    ("tail", Files, "-fFqrvz# -bcns= --bytes= --lines= --follow? --retry --quiet --silent --verbose --sleep-interval= --zero-terminated"),
    ("test", Names, ""),
    ("tr", Text, "-cCdstu --complement --delete --squeeze-repeats --truncate-set1"),
    ("tree", Names, "-aAcCdDfFghilJnNpqQrsStuUvxX# -LIP= --dirsfirst --filesfirst --noreport --prune --gitignore --matchdirs --ignore-case --du --si --sort= --timefmt= --charset= --filelimit= --inodes --device --metafirst"),
    ("true", Text, ""),
    ("type", Text, "-afpPtw"),
    ("uname", Text, "-amnoprsvi --all --kernel-name --kernel-release --machine --nodename --operating-system --processor"),
    ("unexpand", Files, "-a# -t= --all --first-only --tabs="),
    ("uniq", Files, "-cdDiuz# -fsw= --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars= --zero-terminated"),
    ("uptime", Text, "-ps --pretty --since"),
    ("wc", Files, "-clLmw --bytes --chars --lines --words --max-line-length --total="),
    ("which", Text, "-as --all"),
    ("whoami", Text, ""),
    // It looks at the first letter of a group alone, so what follows is digits.
    ("xxd", Files, "-abdeEipruclgs#"),
];

const SUM: &str = "-abtz -l= --algorithm= --binary --length= --tag --text --untagged --zero";
const GREP: &str = "-abcEFGhHiIlLnoPqrRsTvVwx# -ABCefm= --after-context= --basic-regexp --before-context= --byte-offset --color? --colour? --context= --count --dereference-recursive --exclude-dir= --exclude= --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --include= --initial-tab --invert-match --label= --line-buffered --line-number --line-regexp --max-count= --no-filename --no-messages --only-matching --perl-regexp --quiet --recursive --regexp= --silent --text --version --with-filename --word-regexp";

/// Programs of which no option does more than the listed ones, so that a word
/// that may become one is harmless too.
#[rustfmt::skip]
const LOOSE: &[&str] = &[
    "[", "basename", "cat", "cd", "cmp", "comm", "cut", "df", "dirname", "echo", "expand", "fmt",
    "fold", "head", "id", "join", "ls", "nl", "od", "paste", "pwd", "readlink", "realpath", "rev",
    "seq", "sleep", "stat", "tac", "tail", "test", "tr", "type", "uname", "unexpand", "which",
    "arch", "false", "free", "groups", "nproc", "printf", "true", "uptime", "whoami", "column",
];

/// Options by which a program goes through links in folders.
#[rustfmt::skip]
const FOLLOWING: &[(&str, &str)] = &[
    ("diff", "r recursive"),
    ("du", "L dereference"),
    ("egrep", "R dereference-recursive"),
    ("fgrep", "R dereference-recursive"),
    ("grep", "R dereference-recursive"),
    ("ls", "L dereference"),
    ("rg", "L follow"),
    ("tree", "l"),
];

fn entry(program: &str) -> Option<&'static (&'static str, Operands, &'static str)> {
    READERS.iter().find(|(name, ..)| *name == program)
}

/// Which arguments of a program are files; of one that is not known, all.
pub(crate) fn operands(program: &str) -> Operands {
    entry(program).map_or(Files, |(_, operands, _)| *operands)
}

/// Whether a program changes nothing as long as no option says otherwise.
pub(crate) fn is_reader(program: &str) -> bool {
    entry(program).is_some()
}

/// The arguments of a program that only reads, if all of them are known.
pub(crate) fn known_arguments(words: &[Word]) -> Option<Arguments<'_>> {
    let name = words.first()?.text()?;
    let (_, _, list) = entry(name.rsplit('/').next()?)?;
    let name = name.rsplit('/').next()?;
    let found = read(words, &[list], LOOSE.contains(&name))?;
    let plain = match name {
        "strings" => |text: &str| !text.contains('@'),
        "tree" => has_whole_groups,
        _ => |_: &str| true,
    };
    let mut texts = words.iter().map(|word| word.text().unwrap_or(&word.source));
    texts.all(plain).then_some(found)
}

/// Whether a group of letters has no more behind one that takes a value: tree
/// takes the next words for them, in order.
fn has_whole_groups(text: &str) -> bool {
    let group = text.starts_with('-') && !text.starts_with("--");
    let value = text.find(['L', 'I', 'P']).map(|at| &text[at + 1..]);
    !group || value.is_none_or(|value| value.chars().all(|c| c.is_ascii_digit()))
}

/// Whether a program that only reads is given an option that may do more.
/// Those whose options are looked at elsewhere are not asked here.
pub(super) fn has_unknown_option(simple: &Simple) -> bool {
    match simple.program().unwrap_or_default() {
        "[" | "echo" | "find" | "printf" | "ps" | "test" => false,
        "git" => is_beyond_reading(simple),
        name => is_reader(name) && known_arguments(&simple.words).is_none(),
    }
}

/// Whether a program that only reads goes through links in folders; `None` if
/// its list does not tell.
pub(crate) fn follows(words: &[Word]) -> Option<bool> {
    let name = words.first()?.text()?.rsplit('/').next()?;
    let following = FOLLOWING.iter().find(|(program, _)| *program == name);
    if following.is_none() && !LOOSE.contains(&name) {
        return None;
    }
    let Some(found) = known_arguments(words) else {
        return Some(true);
    };
    Some(following.is_some_and(|(_, options)| found.has(options)))
}
