//! What the examples share, so that each of them is only its own program: one command line, inputs
//! from `.npy` files or from a formula, outputs to `.npy` files and pictures, and the last line
//! with the figures of one warm evaluation.
//!
//! Bad arguments and bad files end with one line on stderr and exit status 2, before anything is
//! written.
#![allow(dead_code, reason = "each example uses a part of this module")]

pub mod args;
pub mod files;
pub mod picture;
pub mod plain;
pub mod plot;

use args::Options;
use files::Sample;
use lazuli::Mesh;
use lazuli::prelude::*;
use picture::Picture;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// What an example says of itself.
pub struct Program {
    /// The name in the last line.
    pub name: &'static str,
    /// What it computes, for `--help`.
    pub about: &'static str,
    /// The forms in which the program is written, the default first.
    pub forms: &'static [&'static str],
    /// The lengths that `--size` sets, with their defaults; a name that ends in `?` may be left
    /// out.
    pub size: &'static [(&'static str, usize)],
    /// The element types it takes, the default first.
    pub dtypes: &'static [&'static str],
}

/// Why an example stops: one line for the user.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure(error.to_string())
    }
}

/// What the parts of an example give.
pub type Outcome<T> = Result<T, Failure>;

/// An output: its name and the array.
pub type Output = (&'static str, Box<dyn files::Saved>);

impl Program {
    /// Does what the command line says and prints the figures.
    pub fn main(&'static self, run: fn(&mut Job) -> Outcome<Run>) -> ExitCode {
        match self.command(std::env::args().skip(1), run) {
            Ok(text) => {
                // Of several processes the first one speaks.
                if !text.is_empty() {
                    println!("{text}");
                }
                ExitCode::SUCCESS
            }
            Err(why) => {
                let line = why.to_string().replace('\n', " ");
                eprintln!("{}: {line}", self.name);
                ExitCode::from(2)
            }
        }
    }

    /// Parses the arguments, runs the example on the chosen device, writes what was asked for, and
    /// gives the text to print.
    pub fn command(
        &'static self,
        args: impl Iterator<Item = String>,
        run: impl FnOnce(&mut Job) -> Outcome<Run>,
    ) -> Outcome<String> {
        let Some(options) = args::parse(self, args)? else { return Ok(args::usage(self)) };
        let mut device = match &options.device {
            Some(name) => name.parse()?,
            None => Device::current()?,
        };
        let mut rank = 0;
        if options.own("--mesh") == Some("world") {
            // A process of a run has its own device of the kind that was chosen.
            let mesh = device.scope(Mesh::world)?;
            rank = mesh.rank();
            device = mesh.devices()[rank];
        }
        let mut job = Job { program: self, lengths: options.lengths(self)?, options };
        let done = device.scope(|| run(&mut job))?;
        let mut lines = Vec::new();
        if job.options.explain {
            lines.push(done.plan.clone());
        }
        lines.extend(done.notes.iter().cloned());
        if let Some(folder) = &job.options.out {
            if rank != 0 {
                // The others give what they have of the arrays, and write nothing.
                done.outputs.iter().try_for_each(|(_, array)| array.write(&mut std::io::sink()))?;
                return Ok(String::new());
            }
            let paths = files::write_all(folder, &done.outputs, &done.pictures)?;
            lines.extend(paths.iter().map(|path| format!("wrote {}", path.display())));
        }
        if rank != 0 {
            return Ok(String::new());
        }
        let Run { ms, kernels, bytes, .. } = done;
        let name = self.name;
        lines.push(format!(
            "program={name} device={device} ms={ms:.6} kernels={kernels} bytes={bytes}"
        ));
        Ok(lines.join("\n"))
    }
}

/// One run of an example: its options, and the lengths known so far.
pub struct Job {
    program: &'static Program,
    /// The command line.
    pub options: Options,
    lengths: HashMap<&'static str, usize>,
}

impl Job {
    /// A length that `--size` set or an input had.
    pub fn length(&self, name: &str) -> usize {
        self.lengths
            .get(name)
            .copied()
            .unwrap_or_else(|| self.program.size.iter().find(|s| s.0 == name).map_or(0, |s| s.1))
    }

    /// Sets a length that comes from an option of the program's own.
    pub fn set_length(&mut self, name: &'static str, length: usize) {
        self.lengths.insert(name, length);
    }

    /// The devices that `--mesh` asks for: so many GPUs, so many shares of the processor, or those of all
    /// processes of a run.
    pub fn mesh(&self) -> Outcome<Option<Mesh>> {
        if self.options.own("--mesh").is_none() {
            return Ok(None);
        }
        if self.options.own("--mesh") == Some("world") {
            return Ok(Some(Mesh::world()?));
        }
        let count = self.options.number("--mesh", 1)?;
        Ok(Some(match Device::current()?.is_cuda() {
            true => Mesh::local(count)?,
            false => Mesh::processors(count)?,
        }))
    }

    /// Whether the inputs come from files.
    pub fn has_files(&self) -> bool {
        self.options.input.is_some()
    }

    /// The element type of the run: that of the file `name`, or what `--dtype` says.
    pub fn dtype(&self, name: &str) -> Outcome<&'static str> {
        let wanted = self.options.dtype.as_deref();
        let found = match &self.options.input {
            Some(folder) => Some((files::path(folder, name), files::dtype(folder, name)?)),
            None => None,
        };
        let dtypes = self.program.dtypes;
        let known = |name: &str| dtypes.iter().copied().find(|d| *d == name);
        match (&found, wanted) {
            (Some((path, found)), Some(wanted)) if found != wanted => Err(Failure(format!(
                "{}: holds {found}, and --dtype says {wanted}",
                path.display()
            ))),
            (Some((path, found)), _) => known(found).ok_or_else(|| {
                let path = path.display();
                Failure(format!("{path}: holds {found}; {} is wanted", dtypes.join(" or ")))
            }),
            (None, Some(wanted)) => Ok(known(wanted).unwrap_or(dtypes[0])),
            (None, None) => Ok(dtypes[0]),
        }
    }

    /// An input on the device: from its file, or from a formula of the position in C order.
    ///
    /// `axes` names the lengths. One name has one length over all inputs and `--size`; a name that
    /// ends in `?` may be missing.
    pub fn input<T: Sample>(
        &mut self,
        name: &'static str,
        axes: &[&'static str],
        formula: impl Fn(usize) -> T,
    ) -> Outcome<DeviceArray<T>> {
        let array = match &self.options.input {
            Some(folder) => {
                let array = files::read::<T>(folder, name)?;
                let path = files::path(folder, name);
                self.bind(&path, axes, array.shape())?;
                to_device(&array)?
            }
            None => {
                let is_there = |axis: &&&str| match axis.strip_suffix('?') {
                    Some(_) => self.lengths.contains_key(**axis),
                    None => true,
                };
                let shape: Vec<usize> =
                    axes.iter().filter(is_there).map(|axis| self.length(axis)).collect();
                DeviceArray::from_vec(&shape, generated(name, &shape, formula)?)?
            }
        };
        Ok(array)
    }

    /// Checks the shape of a file's array against the names of its axes, and remembers lengths.
    fn bind(&mut self, path: &Path, axes: &[&'static str], shape: &[usize]) -> Outcome<()> {
        let optional = axes.iter().filter(|a| a.ends_with('?')).count();
        let missing = axes.len().checked_sub(shape.len()).filter(|&m| m <= optional);
        let names = axes.join(", ").replace('?', "");
        let Some(missing) = missing else {
            let path = path.display();
            return Err(Failure(format!("{path}: shape {shape:?} where [{names}] is wanted")));
        };
        for (&axis, &length) in axes[missing..].iter().zip(shape) {
            let known = *self.lengths.entry(axis).or_insert(length);
            if known != length {
                return Err(Failure(format!(
                    "{}: shape {shape:?} where [{names}] with {} = {known} is wanted",
                    path.display(),
                    axis.replace('?', "")
                )));
            }
        }
        Ok(())
    }

    /// Evaluates the outputs once, then `--repeat` times with the clock running: each time the
    /// program is recorded anew, as a user's loop would do it, and the device is waited for.
    pub fn evaluate(&self, record: impl Fn() -> Vec<Output>) -> Outcome<Run> {
        let plan = explain(&any(&record()));
        let launches =
            Launches { bytes: plan.bytes_read() + plan.bytes_written(), text: plan.to_string() };
        self.launch(launches, || Ok(record()))
    }

    /// As [`evaluate`](Self::evaluate), for a program that launches its kernels itself.
    pub fn launch(
        &self,
        launches: Launches,
        record: impl Fn() -> Outcome<Vec<Output>>,
    ) -> Outcome<Run> {
        let device = Device::current()?;
        let mut outputs = record()?;
        eval(&any(&outputs))?;
        device.synchronize()?;
        let (mut times, mut kernels) = (Vec::new(), 0);
        for _ in 0..self.options.repeat {
            outputs.clear();
            let before = lazuli::counters();
            let start = Instant::now();
            outputs = record()?;
            eval(&any(&outputs))?;
            device.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            kernels = lazuli::counters().kernels - before.kernels;
        }
        times.sort_by(f64::total_cmp);
        Ok(Run {
            ms: times[times.len() / 2],
            kernels,
            bytes: launches.bytes,
            plan: launches.text,
            outputs,
            ..Run::default()
        })
    }
}

/// What a program that launches its own kernels says of one evaluation.
pub struct Launches {
    /// The bytes that the kernels read and write, each array once a kernel.
    pub bytes: usize,
    /// The kernels, for `--explain`.
    pub text: String,
}

/// The arrays of the outputs, for the functions that take several together.
pub fn any(outputs: &[Output]) -> Vec<&dyn AnyArray> {
    outputs.iter().map(|(_, array)| &**array as &dyn AnyArray).collect()
}

/// Values of a formula, or a clear line where there is no room for them.
fn generated<T>(name: &str, shape: &[usize], formula: impl Fn(usize) -> T) -> Outcome<Vec<T>> {
    let mut values = Vec::new();
    let len = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    match len.filter(|&len| values.try_reserve_exact(len).is_ok()) {
        Some(len) => values.extend((0..len).map(formula)),
        None => return Err(Failure(format!("--size: no memory for {name} of shape {shape:?}"))),
    }
    Ok(values)
}

/// What an example computed, and the figures of one warm evaluation.
#[derive(Default)]
pub struct Run {
    /// The median time of an evaluation.
    pub ms: f64,
    /// The kernels that one evaluation runs.
    pub kernels: u64,
    /// The bytes that they read and write.
    pub bytes: usize,
    /// The plan as text.
    pub plan: String,
    /// The results.
    pub outputs: Vec<Output>,
    /// Further figures, a line each.
    pub notes: Vec<String>,
    /// Pictures of the results.
    pub pictures: Vec<(&'static str, Picture)>,
}

impl Run {
    /// Draws one of several pictures: its time, compilation included, and its kernels are added, and
    /// both are printed behind what `label` says of it.
    pub fn draw<T>(
        &mut self,
        draw: impl FnOnce() -> Outcome<T>,
        label: impl FnOnce(&T) -> String,
    ) -> Outcome<T> {
        let (start, before) = (Instant::now(), lazuli::counters().kernels);
        let drawn = draw()?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let kernels = lazuli::counters().kernels - before;
        println!("{} {ms:>8.1} ms {kernels:>6} kernels", label(&drawn));
        (self.ms, self.kernels) = (self.ms + ms, self.kernels + kernels);
        Ok(drawn)
    }
}

impl Run {
    /// Adds a picture of an output, made only where it will be written.
    pub fn with_picture<T: Sample>(
        mut self,
        job: &Job,
        name: &'static str,
        draw: impl Fn(&ndarray::ArrayD<T>) -> Picture,
    ) -> Outcome<Run> {
        let array = self.outputs.iter().find(|(n, _)| *n == name);
        let array = array.and_then(|(_, a)| a.as_any().downcast_ref::<DeviceArray<T>>());
        if let (Some(array), true) = (array, job.options.out.is_some()) {
            self.pictures.push((name, draw(&array.copy_to_host()?)));
        }
        Ok(self)
    }
}

/// The fractional part of `i·r`: values spread evenly over [0, 1), as NumPy computes
/// `np.arange(n) * r % 1.0`.
pub fn spread(i: usize, r: f64) -> f64 {
    (i as f64 * r) % 1.0
}

/// The golden ratio's fractional part, a good `r` for [`spread`].
pub const GOLDEN: f64 = 0.618_033_988_749_894_9;
