//! The clock. A figure is wall time an evaluation, host work included: recording, looking up the
//! plan, launching. It is the median over batches, each closed by one synchronisation.

use lazuli::{Device, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Seconds of the same work before it is timed.
const SETTLE: f64 = 0.2;

/// What one form of a workload measured.
#[derive(Clone, Default)]
pub struct Row {
    pub workload: String,
    pub form: String,
    pub ms: f64,
    /// The first evaluation, compiling included.
    pub first_ms: f64,
    /// The host's time of one evaluation up to the last launch; none on the processor, where an
    /// evaluation is the host's work.
    pub host_us: Option<f64>,
    pub kernels: Option<u64>,
    pub gbps: Option<f64>,
    /// Why there is no figure.
    pub error: Option<String>,
}

impl Row {
    pub fn ok(&self) -> bool {
        self.error.is_none()
    }
}

/// The measuring of one process.
pub struct Bench {
    pub device: Device,
    pub quick: bool,
    pub rows: Vec<Row>,
    workload: String,
}

/// What a check of a result says: nothing, or what is wrong.
pub type Check = Result<std::result::Result<(), String>>;

impl Bench {
    pub fn new(device: Device, quick: bool) -> Bench {
        Bench { device, quick, rows: Vec::new(), workload: String::new() }
    }

    /// Runs a workload. One that fails must not cost the others their rows.
    pub fn run(&mut self, name: &str, workload: fn(&mut Bench) -> Result<()>) {
        self.workload = name.to_owned();
        let result = catch_unwind(AssertUnwindSafe(|| workload(self)));
        let error = match result {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                    .unwrap_or_else(|| "a panic".to_owned())
            }
        };
        self.fail("", error);
    }

    /// Times one form of the workload. `evaluate` records and evaluates once and drops the result;
    /// `check` looks at one result, so that a wrong kernel cannot win. `bytes` are read and
    /// written by one evaluation.
    pub fn form(
        &mut self,
        form: &str,
        bytes: usize,
        evaluate: impl Fn() -> Result<()>,
        check: impl FnOnce() -> Check,
    ) -> Result<()> {
        self.device.synchronize()?;
        let start = Instant::now();
        evaluate()?;
        self.device.synchronize()?;
        let first_ms = start.elapsed().as_secs_f64() * 1e3;
        if let Err(wrong) = check()? {
            self.fail(form, format!("wrong result: {wrong}"));
            return Ok(());
        }
        let before = lazuli::counters();
        evaluate()?;
        let kernels = lazuli::counters().kernels - before.kernels;
        let ms = self.median_ms(&evaluate)?;
        let host_us = match self.device.is_cuda() {
            true => Some(self.host_us(&evaluate)?),
            false => None,
        };
        self.push(Row {
            form: form.to_owned(),
            ms,
            first_ms,
            host_us,
            kernels: Some(kernels),
            gbps: (bytes > 0).then(|| bytes as f64 / ms / 1e6),
            ..Row::default()
        });
        Ok(())
    }

    /// The median over batches of the time of one call.
    pub fn median_ms(&self, call: &impl Fn() -> Result<()>) -> Result<f64> {
        let (min_time, batches) = if self.quick { (0.05, 3) } else { (0.15, 5) };
        call()?;
        self.device.synchronize()?;
        let start = Instant::now();
        call()?;
        self.device.synchronize()?;
        let one = start.elapsed().as_secs_f64().max(1e-7);
        // A card's clock falls within a tenth of a second of full load: measured is what lasts.
        for _ in 0..((SETTLE / one) as usize).min(20_000) {
            call()?;
        }
        self.device.synchronize()?;
        let count = ((min_time / one) as usize).clamp(1, 20_000);
        let batches = if one > 4.0 * min_time + 0.5 { 1 } else { batches };
        let mut times = Vec::new();
        for _ in 0..batches {
            let start = Instant::now();
            for _ in 0..count {
                call()?;
            }
            self.device.synchronize()?;
            times.push(start.elapsed().as_secs_f64() * 1e3 / count as f64);
        }
        Ok(median(times))
    }

    /// The host's time of a call, in batches short enough that the device's queue never fills.
    fn host_us(&self, call: &impl Fn() -> Result<()>) -> Result<f64> {
        let start = Instant::now();
        call()?;
        let one = start.elapsed().as_secs_f64();
        // Programs of thousands of launches fill the queue by themselves.
        let batch = ((0.1 / one.max(1e-7)) as usize).clamp(1, 50);
        let mut times = Vec::new();
        for _ in 0..7 {
            self.device.synchronize()?;
            let start = Instant::now();
            for _ in 0..batch {
                call()?;
            }
            times.push(start.elapsed().as_secs_f64() * 1e6 / batch as f64);
        }
        self.device.synchronize()?;
        Ok(median(times))
    }

    /// Enters a row of the current workload and prints it.
    pub fn push(&mut self, row: Row) {
        let row = Row { workload: self.workload.clone(), ..row };
        let mut line = format!("{:32} {:12}", row.workload, row.form);
        match &row.error {
            Some(error) => line += &format!(" FAILED {error}"),
            None => {
                line += &format!(" {:11.5} ms  first {:9.2} ms", row.ms, row.first_ms);
                line += &row.kernels.map_or_else(String::new, |k| format!("  {k:3} kernels"));
                line += &row.host_us.map_or_else(String::new, |us| format!("  host {us:7.2} µs"));
                line += &row.gbps.map_or_else(String::new, |gbps| format!("  {gbps:7.1} GB/s"));
            }
        }
        println!("{line}");
        self.rows.push(row);
    }

    /// Enters a row that has no figure.
    pub fn fail(&mut self, form: &str, error: String) {
        let error = Some(error.replace('\n', " "));
        self.push(Row { form: form.to_owned(), error, ..Row::default() });
    }
}

/// The middle of some figures.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
