//! What the command line says.

use super::engine::draw::Taste;
use super::engine::value::Kind;
use std::time::Duration;

/// The options.
#[derive(Clone, Debug)]
pub struct Args {
    pub device: String,
    pub time: Duration,
    pub programs: u64,
    pub seed: u64,
    pub taste: Taste,
    pub threads: Option<usize>,
    pub show: bool,
    pub child: bool,
    pub strict: bool,
    pub findings: usize,
}

impl Args {
    /// Reads the command line.
    pub fn parse() -> Result<Args, String> {
        let taste = Taste { kinds: Kind::ALL.to_vec(), steps: 14, large: true };
        let mut args = Args {
            device: "cpu".into(),
            time: Duration::MAX,
            programs: u64::MAX,
            seed: 0,
            taste,
            threads: None,
            show: false,
            child: false,
            strict: false,
            findings: 10,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--device" => args.device = value()?,
                "--seconds" => args.time = Duration::from_secs_f64(number(&value()?)?),
                "--programs" => args.programs = number(&value()?)?,
                "--seed" => args.seed = number(&value()?)?,
                "--kinds" => args.taste.kinds = kinds(&value()?)?,
                "--steps" => args.taste.steps = number(&value()?)?,
                "--small" => args.taste.large = false,
                "--threads" => args.threads = Some(number(&value()?)?),
                "--findings" => args.findings = number(&value()?)?,
                "--strict" => args.strict = true,
                "--show" => args.show = true,
                "--child" => args.child = true,
                _ => return Err(format!("{word} is no option; the source of `hunt` lists them")),
            }
        }
        if args.taste.steps == 0 || args.taste.kinds.is_empty() {
            return Err("programs have at least a step and a type".into());
        }
        if args.time == Duration::MAX && args.programs == u64::MAX {
            args.time = Duration::from_secs(60);
            args.programs = if args.show { 1 } else { u64::MAX };
        }
        Ok(args)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is no number that fits here"))
}

fn kinds(text: &str) -> Result<Vec<Kind>, String> {
    let one = |name: &str| {
        let of = |k: &Kind| format!("{k:?}").eq_ignore_ascii_case(name);
        Kind::ALL.into_iter().find(of).ok_or(format!("{name} is no element type"))
    };
    text.split(',').map(one).collect()
}
