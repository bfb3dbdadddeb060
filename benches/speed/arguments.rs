//! The command line.

use crate::tables::Entry;

/// What was asked for.
#[derive(Default)]
pub struct Arguments {
    names: Vec<String>,
    pub device: Option<String>,
    pub json: Option<String>,
    pub quick: bool,
    pub strict: bool,
    pub list: bool,
}

impl Arguments {
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut found = Arguments::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--device" => found.device = Some(value()?),
                "--json" => found.json = Some(value()?),
                "--quick" => found.quick = true,
                "--strict" => found.strict = true,
                "--list" => found.list = true,
                // Cargo adds this one.
                "--bench" => {}
                _ if arg.starts_with('-') => return Err(format!("{arg}: no such option")),
                _ => found.names.push(arg),
            }
        }
        Ok(found)
    }

    /// The workloads that the names stand for, in the order of the names.
    pub fn choose(&self, table: &'static [Entry]) -> Result<Vec<Entry>, String> {
        if self.names.is_empty() {
            return Ok(table.to_vec());
        }
        let mut chosen: Vec<Entry> = Vec::new();
        for name in &self.names {
            let is_meant = |entry: &&Entry| {
                let whole = entry.0;
                whole.split('@').next() == Some(name) || is_match(name, whole)
            };
            let before = chosen.len();
            for entry in table.iter().filter(is_meant) {
                if !chosen.iter().any(|c| c.0 == entry.0) {
                    chosen.push(*entry);
                }
            }
            if chosen.len() == before && !table.iter().any(|e| is_meant(&e)) {
                return Err(format!("no workload is called {name:?}; --list prints the names"));
            }
        }
        Ok(chosen)
    }
}

/// Whether a glob with `*` and `?` matches the whole text.
fn is_match(glob: &str, text: &str) -> bool {
    let mut rest = text.chars();
    match (glob.chars().next(), rest.next()) {
        (None, next) => next.is_none(),
        (Some('*'), next) => {
            is_match(&glob[1..], text) || (next.is_some() && is_match(glob, rest.as_str()))
        }
        (Some(g), Some(t)) => {
            (g == '?' || g == t) && is_match(&glob[g.len_utf8()..], rest.as_str())
        }
        (Some(_), None) => false,
    }
}
