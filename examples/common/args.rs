//! The command line of the examples.

use super::{Failure, Outcome, Program};
use std::collections::HashMap;
use std::path::PathBuf;

/// The forms that examples are written in, in any of them.
const FORMS: [&str; 9] = [
    "lazy",
    "compiled",
    "repeat",
    "vectorize",
    "guvectorize",
    "reduce",
    "kernel",
    "library",
    "raw",
];

/// Options that one program alone takes, with what `--help` says of them.
const OWN: [(&str, &str, &str); 16] = [
    ("random", "--seed", "the seed; default 42"),
    ("random", "--generator", "xorwow, mrg32k3a, sobol or sobol64, of the form library"),
    ("lorenz04", "--steps", "time steps; default 100"),
    (
        "lorenz04",
        "--mesh",
        "devices over which the members are cut, or world: the processes of a run",
    ),
    (
        "great_circle",
        "--mesh",
        "devices over which the rows are cut, or world, of the forms lazy and vectorize",
    ),
    ("scaling", "--steps", "steps of each program; default 50"),
    ("scaling", "--mesh", "the most devices; default 2"),
    ("jacobi", "--steps", "sweeps; default 100"),
    ("jacobi", "--together", "sweeps of the form lazy that are evaluated together; default 1"),
    ("jacobi", "--mesh", "devices over which the rows are cut, or world, of the form lazy"),
    ("ode", "--end", "the time at the end; default 20"),
    ("ode", "--rtol", "the relative tolerance; default 1e-6"),
    ("guides", "--page", "a page alone: image_filters, signals, and so on"),
    ("smooth", "--reach", "s, of 2s + 1 generated weights; default 12"),
    ("streams", "--nodes", "angles of the integral; default 64"),
    ("streams", "--parts", "parts into which x is cut; default 16"),
];

/// What the command line says.
#[derive(Debug)]
pub struct Options {
    /// `--device`
    pub device: Option<String>,
    /// `--form`
    pub form: &'static str,
    /// `--size`
    pub size: Option<Vec<usize>>,
    /// `--dtype`
    pub dtype: Option<String>,
    /// `--repeat`
    pub repeat: usize,
    /// `--in`
    pub input: Option<PathBuf>,
    /// `--out`
    pub out: Option<PathBuf>,
    /// `--explain`
    pub explain: bool,
    /// The options that this program alone takes.
    own: HashMap<String, String>,
}

impl Options {
    /// The text of an option that this program alone takes.
    pub fn own(&self, name: &str) -> Option<&str> {
        self.own.get(name).map(String::as_str)
    }

    /// A whole number among those options.
    pub fn number<N: std::str::FromStr>(&self, name: &str, default: N) -> Outcome<N> {
        let Some(text) = self.own(name) else { return Ok(default) };
        text.parse().map_err(|_| Failure(format!("{name} {text}: not a whole number")))
    }

    /// The lengths that `--size` sets, by name.
    pub fn lengths(&self, program: &Program) -> Outcome<HashMap<&'static str, usize>> {
        let Some(given) = &self.size else { return Ok(HashMap::new()) };
        let names: Vec<&'static str> = program.size.iter().map(|s| s.0).collect();
        let needed = names.iter().filter(|n| !n.ends_with('?')).count();
        let given = match given[..] {
            // One number for a program over a plane stands for a square.
            [n] => vec![n; needed],
            _ => given.clone(),
        };
        if given.len() < needed || given.len() > names.len() {
            return Err(Failure(format!("--size takes {}", size_forms(program))));
        }
        Ok(names[names.len() - given.len()..].iter().copied().zip(given).collect())
    }
}

/// Parses the arguments; `None` where they ask for help.
pub fn parse(program: &Program, args: impl Iterator<Item = String>) -> Outcome<Option<Options>> {
    let mut given: HashMap<String, String> = HashMap::new();
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (arg, None),
        };
        let value = match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--explain" if attached.is_none() => String::new(),
            "--device" | "--form" | "--size" | "--repeat" | "--in" | "--out" | "--dtype" => {
                let value = attached.or_else(|| args.next_if(|next| !next.starts_with("--")));
                value.ok_or_else(|| Failure(format!("{name} needs a value")))?
            }
            _ if OWN.iter().any(|own| own.0 == program.name && own.1 == name) => {
                let value = attached.or_else(|| args.next_if(|next| !next.starts_with("--")));
                value.ok_or_else(|| Failure(format!("{name} needs a value")))?
            }
            _ => return Err(Failure(format!("{name}: no such option; --help lists them"))),
        };
        if given.insert(name.clone(), value).is_some() {
            return Err(Failure(format!("{name} is given twice")));
        }
    }
    let mut take = |name: &str| given.remove(name);
    Ok(Some(Options {
        device: take("--device"),
        form: form(program, take("--form"))?,
        size: take("--size").map(|text| size(program, &text)).transpose()?,
        dtype: take("--dtype").map(|text| dtype(program, text)).transpose()?,
        repeat: take("--repeat").map_or(Ok(10), |text| repeat(&text))?,
        input: take("--in").map(PathBuf::from),
        out: take("--out").map(PathBuf::from),
        explain: take("--explain").is_some(),
        own: given,
    }))
}

fn form(program: &Program, given: Option<String>) -> Outcome<&'static str> {
    let Some(given) = given else { return Ok(program.forms[0]) };
    let forms = program.forms.join(", ");
    match program.forms.iter().find(|form| **form == given) {
        Some(form) => Ok(form),
        None if FORMS.contains(&given.as_str()) => {
            Err(Failure(format!("--form {given}: {} is written as {forms} only", program.name)))
        }
        None => Err(Failure(format!("--form {given}: no such form; there is {forms}"))),
    }
}

fn size(program: &Program, text: &str) -> Outcome<Vec<usize>> {
    let parts: Option<Vec<usize>> = text.split('x').map(|part| part.parse().ok()).collect();
    parts.ok_or_else(|| Failure(format!("--size {text}: not {}", size_forms(program))))
}

fn repeat(text: &str) -> Outcome<usize> {
    let count = text.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| Failure(format!("--repeat {text}: not a positive whole number")))
}

fn dtype(program: &Program, text: String) -> Outcome<String> {
    let long = match text.as_str() {
        "f32" => "float32",
        "f64" => "float64",
        "i32" => "int32",
        other => other,
    };
    match program.dtypes.contains(&long) {
        true => Ok(long.to_owned()),
        false => {
            let takes = program.dtypes.join(" or ");
            Err(Failure(format!("--dtype {text}: {} takes {takes}", program.name)))
        }
    }
}

/// How `--size` is written: `N`, `NYxNX`.
fn size_forms(program: &Program) -> String {
    let all: Vec<String> = program.size.iter().map(|s| s.0.to_uppercase()).collect();
    let short = || all.iter().filter(|n| !n.ends_with('?')).cloned().collect::<Vec<_>>().join("x");
    let long = all.join("x").replace('?', "");
    match (all.len(), all[0].ends_with('?')) {
        (_, true) => format!("{} or {long}", short()),
        (1, _) => format!("a length {long}"),
        _ => long,
    }
}

/// The text of `--help`.
pub fn usage(program: &Program) -> String {
    let Program { name, about, forms, size, dtypes } = program;
    let needed = size.iter().filter(|s| !s.0.ends_with('?'));
    let lengths: Vec<String> = needed.map(|s| s.1.to_string()).collect();
    let own = OWN.iter().filter(|own| own.0 == *name);
    let own: String = own.map(|(_, option, says)| format!("{option:<12} {says}\n")).collect();
    format!(
        "{name}: {about}\n\n\
         --device D   cpu, cuda or cuda:K; default: as the library chooses\n\
         --form F     {}; default {}\n\
         --size S     {}; default {}\n\
         --dtype T    {}, of generated inputs; default {}\n\
         --repeat N   warm evaluations to time, of which the median is printed; default 10\n\
         --in DIR     read every input from DIR/<name>.npy; else a formula generates it\n\
         --out DIR    write every output to DIR/<name>.npy\n\
         --explain    print the plan\n{own}",
        forms.join(", "),
        forms[0],
        size_forms(program),
        lengths.join("x"),
        dtypes.join(" or "),
        dtypes[0],
    )
}
