//! One step of the walk: planned, timed on every device, compared with plain `ndarray`, printed.

use super::common::{Output, any};
use super::{Failure, Job, Outcome, Run};
use lazuli::Explanation;
use lazuli::prelude::*;
use ndarray::ArrayD;
use std::time::Instant;

/// Records a program once.
pub type Record = Box<dyn Fn() -> Vec<Output>>;

/// A step of the walk.
pub struct Entry<'a> {
    pub name: &'a str,
    pub what: &'a str,
    /// Puts the inputs on the current device.
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
    plan: Explanation,
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

    /// Runs a step everywhere and prints it; gives the first device's results.
    pub fn step(&mut self, entry: &Entry) -> Outcome<Vec<ArrayD<f64>>> {
        let start = Instant::now();
        let wanted = (entry.plain)();
        let plain_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut all = Vec::new();
        for device in &self.devices {
            let measured = device.scope(|| self.measure(*device, entry));
            all.push(measured.map_err(|e| Failure(format!("{} on {device}: {e}", entry.name)))?);
        }
        println!("\n  {:<15} {}", entry.name, entry.what);
        let plan = &all[0].plan;
        println!(
            "  {:15} {} · {} read · {} written",
            "",
            plural(all[0].kernels, "kernel"),
            size(plan.bytes_read()),
            size(plan.bytes_written()),
        );
        let times = self.devices.iter().zip(&all).map(|(d, m)| format!("{d} {} ms", short(m.ms)));
        let times: Vec<String> = times.collect();
        println!("  {:15} {} · plain ndarray {} ms", "", times.join(" · "), short(plain_ms));
        let errors: Vec<f64> = all.iter().map(|m| error(&m.results, &wanted)).collect();
        let worst = errors.iter().copied().fold(0.0, worse);
        let worst = if worst == 0.0 { "0".to_owned() } else { format!("{worst:.1e}") };
        println!("  {:15} largest relative error {worst}", "");
        if self.explain {
            let text = plan.to_string().replace('\n', "\n                  ");
            println!("                  {text}");
        }
        self.total.ms += all[0].ms;
        self.total.kernels += all[0].kernels;
        self.total.bytes += plan.bytes_read() + plan.bytes_written();
        Ok(all.swap_remove(0).results)
    }

    /// The median of a few warm evaluations, fewer where one takes long.
    fn measure(&self, device: Device, entry: &Entry) -> Result<Measured> {
        let record = (entry.prepare)()?;
        let mut outputs = record();
        let plan = explain(&any(&outputs));
        eval(&any(&outputs))?;
        device.synchronize()?;
        let (mut times, mut kernels) = (Vec::new(), 0);
        let begin = Instant::now();
        while times.is_empty() || times.len() < self.repeat && begin.elapsed().as_secs_f64() < 0.2 {
            outputs.clear();
            let before = lazuli::counters();
            let start = Instant::now();
            outputs = record();
            eval(&any(&outputs))?;
            device.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            kernels = lazuli::counters().kernels - before.kernels;
        }
        times.sort_by(f64::total_cmp);
        let results: Result<_> = outputs.iter().map(host).collect();
        Ok(Measured { plan, ms: times[times.len() / 2], kernels, results: results? })
    }
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
