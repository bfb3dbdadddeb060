//! The command line.

use crate::programs::{ALL, Program};
use std::path::PathBuf;

/// What was asked for.
pub struct Arguments {
    names: Vec<String>,
    pub size: String,
    pub inputs: PathBuf,
    pub device: Option<String>,
    pub json: Option<String>,
    /// Whether each program runs once, for its outputs alone.
    pub check: bool,
    /// Whether the first run says what its last evaluation runs.
    pub explain: bool,
    pub list: bool,
}

impl Arguments {
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut found = Arguments {
            names: Vec::new(),
            size: "S".into(),
            inputs: "npbench-inputs".into(),
            device: None,
            json: None,
            check: false,
            explain: false,
            list: false,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--size" => found.size = value()?,
                "--inputs" => found.inputs = value()?.into(),
                "--device" => found.device = Some(value()?),
                "--json" => found.json = Some(value()?),
                "--check" => found.check = true,
                "--explain" => found.explain = true,
                "--list" => found.list = true,
                // Cargo adds this one.
                "--bench" => {}
                _ if arg.starts_with('-') => return Err(format!("{arg}: no such option")),
                _ => found.names.push(arg),
            }
        }
        Ok(found)
    }

    /// The programs of the given names, or all.
    pub fn choose(&self) -> Result<Vec<&'static Program>, String> {
        let by_name = |name: &String| {
            let found = ALL.iter().find(|program| program.name == name);
            found.ok_or_else(|| format!("no program is called {name:?}; --list prints the names"))
        };
        match self.names.is_empty() {
            true => Ok(ALL.iter().collect()),
            false => self.names.iter().map(by_name).collect(),
        }
    }

    /// The folder of a program's inputs.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.inputs.join(&self.size).join(name)
    }
}
