//! One step of the walk: planned, timed on every device, compared with plain `ndarray`, printed.

use super::common::{Launches, Output, any};
use super::{Failure, Job, Outcome, Run};
use lazuli::prelude::*;
use ndarray::ArrayD;
use std::time::Instant;

/// A program on the current device, to be run again and again.
pub enum Record {
    /// Records expressions, which the tour evaluates.
    Lazy(Box<dyn Fn() -> Vec<Output>>),
    /// Launches kernels of its own, about which it says what a plan would.
    Launched(Launches, Box<dyn Fn() -> Result<Vec<Output>>>),
}

impl Record {
    /// A program that records.
    pub fn lazy(record: impl Fn() -> Vec<Output> + 'static) -> Record {
        Record::Lazy(Box::new(record))
    }

    /// A program that launches kernels which move so many bytes.
    pub fn launched(
        bytes: usize,
        text: String,
        launch: impl Fn() -> Result<Vec<Output>> + 'static,
    ) -> Record {
        Record::Launched(Launches { bytes, text }, Box::new(launch))
    }

    /// Records or launches once more.
    fn run(&self) -> Result<Vec<Output>> {
        match self {
            Record::Lazy(record) => Ok(record()),
            Record::Launched(_, launch) => launch(),
        }
    }
}

/// A step of the walk.
pub struct Entry<'a> {
    pub name: &'a str,
    pub what: &'a str,
    /// Puts the inputs on the current device. A device that cannot run the program at all says so
    /// here, by an error that is `unsupported`.
    pub prepare: &'a dyn Fn() -> Result<Record>,
    /// The same results by plain `ndarray`.
    pub plain: &'a dyn Fn() -> Vec<ArrayD<f64>>,
}

/// The walk so far.
pub struct Tour {
    /// The devices that run every step; the first is the one that was chosen.
    pub devices: Vec<Device>,
    repeat: usize,
    explain: bool,
    total: Run,
}

/// What one device did with a step.
struct Measured {
    /// The plan in full.
    plan: String,
    /// The library calls and bytes in short.
    short: String,
    bytes: usize,
    ms: f64,
    kernels: u64,
    results: Vec<ArrayD<f64>>,
}

impl Tour {
    pub fn new(job: &Job) -> Outcome<Tour> {
        let first = Device::current()?;
        let mut devices = vec![first];
        if job.options.device.is_none() {
            devices.extend(Device::all().into_iter().filter(|device| *device != first));
        }
        let (repeat, explain) = (job.options.repeat, job.options.explain);
        Ok(Tour { devices, repeat, explain, total: Run::default() })
    }

    /// The sums over all steps, on the first device.
    pub fn total(&mut self) -> Run {
        std::mem::take(&mut self.total)
    }

    /// Runs a step everywhere and prints it; gives the first results.
    pub fn step(&mut self, entry: &Entry) -> Outcome<Vec<ArrayD<f64>>> {
        let start = Instant::now();
        let wanted = (entry.plain)();
        let plain_ms = start.elapsed().as_secs_f64() * 1e3;
        println!("\n  {:<15} {}", entry.name, entry.what);
        let (mut all, mut times) = (Vec::new(), Vec::new());
        for device in &self.devices {
            match device.scope(|| self.measure(*device, entry)) {
                Ok(Some(measured)) => {
                    times.push(format!("{device} {} ms", short(measured.ms)));
                    all.push(measured);
                }
                Ok(None) => times.push(format!("not on {device}")),
                Err(why) => return Err(Failure(format!("{} on {device}: {why}", entry.name))),
            }
        }
        if let Some(first) = all.first() {
            println!("  {:15} {} · {}", "", plural(first.kernels, "kernel"), first.short);
        }
        println!("  {:15} {} · plain ndarray {} ms", "", times.join(" · "), short(plain_ms));
        let Some(first) = all.first() else { return Ok(wanted) };
        let errors = all.iter().map(|m| error(&m.results, &wanted));
        let worst = errors.fold(0.0, worse);
        let worst = if worst == 0.0 { "0".to_owned() } else { format!("{worst:.1e}") };
        println!("  {:15} largest relative error {worst}", "");
        if self.explain {
            println!("                  {}", first.plan.replace('\n', "\n                  "));
        }
        self.total.ms += first.ms;
        self.total.kernels += first.kernels;
        self.total.bytes += first.bytes;
        Ok(all.swap_remove(0).results)
    }

    /// The median of a few warm evaluations, fewer where one takes long; nothing where the device
    /// cannot run the program.
    fn measure(&self, device: Device, entry: &Entry) -> Result<Option<Measured>> {
        let record = match (entry.prepare)() {
            Err(why) if why.is_unsupported() => return Ok(None),
            prepared => prepared?,
        };
        let mut outputs = record.run()?;
        let (plan, short, bytes) = said(&record, &outputs);
        eval(&any(&outputs))?;
        device.synchronize()?;
        let (mut times, mut kernels) = (Vec::new(), 0);
        let begin = Instant::now();
        while times.is_empty() || times.len() < self.repeat && begin.elapsed().as_secs_f64() < 0.2 {
            outputs.clear();
            let before = lazuli::counters();
            let start = Instant::now();
            outputs = record.run()?;
            eval(&any(&outputs))?;
            device.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            kernels = lazuli::counters().kernels - before.kernels;
        }
        times.sort_by(f64::total_cmp);
        let results: Result<_> = outputs.iter().map(host).collect();
        let ms = times[times.len() / 2];
        Ok(Some(Measured { plan, short, bytes, ms, kernels, results: results? }))
    }
}

/// What a program says of itself: the plan in full and in short, and the bytes that it moves.
fn said(record: &Record, outputs: &[Output]) -> (String, String, usize) {
    if let Record::Launched(Launches { bytes, text }, _) = record {
        return (text.clone(), format!("{} read and written", size(*bytes)), *bytes);
    }
    let plan = explain(&any(outputs));
    let (read, written) = (plan.bytes_read(), plan.bytes_written());
    let mut short = format!("{} read · {} written", size(read), size(written));
    if plan.library_calls() > 0 {
        short = format!("{} · {short}", plural(plan.library_calls() as u64, "library call"));
    }
    (plan.to_string(), short, read + written)
}

/// An output of either floating-point type on the host.
fn host((name, array): &Output) -> Result<ArrayD<f64>> {
    let array = array.as_any();
    match (array.downcast_ref::<DeviceArray<f64>>(), array.downcast_ref::<DeviceArray<f32>>()) {
        (Some(wide), _) => wide.copy_to_host(),
        (_, Some(narrow)) => Ok(narrow.copy_to_host()?.mapv(f64::from)),
        _ => panic!("{name}: the tour's outputs are floating-point numbers"),
    }
}

/// The larger error; NaN is the largest.
fn worse(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// The largest difference, measured against the largest value.
fn error(got: &[ArrayD<f64>], wanted: &[ArrayD<f64>]) -> f64 {
    let one = |(got, wanted): (&ArrayD<f64>, &ArrayD<f64>)| {
        if got.shape() != wanted.shape() {
            return f64::NAN;
        }
        let scale = wanted.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(b.abs()));
        let largest = got.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, worse);
        largest / scale
    };
    got.iter().zip(wanted).map(one).fold(0.0, worse)
}

fn plural(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Bytes with a unit.
fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A time with three digits.
fn short(ms: f64) -> String {
    match ms {
        _ if ms < 1.0 => format!("{ms:.3}"),
        _ if ms < 10.0 => format!("{ms:.2}"),
        _ if ms < 100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}
