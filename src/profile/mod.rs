//! Where the time goes: what a program spent on kernels, plans, compilation, copies and waiting, by
//! kernel and by line.

mod chrome;
mod picture;
mod table;

use crate::array::DeviceArray;
use crate::backend::trace::{self, Ended, Line, Sink, Work, while_collected};
use crate::backend::{Device, DeviceInfo};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The most spans that a profile keeps for its timeline; rows and totals count all of them.
const MOST_EVENTS: usize = 100_000;

/// Runs a function and tells where its time went.
///
/// Every kernel, library call, copy, plan and compilation that this thread asks for is timed, and
/// named by what it computes and by the line of the program that recorded it. On a GPU kernels are
/// timed there, between two events in the stream, while the host goes on; the time of a short
/// kernel that the device had to wait for contains that wait. The results are those of a run
/// without a profile; each span costs the host some time.
///
/// What other threads do is not in the profile; a profile inside of another one is part of both.
///
/// [`Display`](std::fmt::Display) prints the profile as tables; [`Profile::svg`] draws it;
/// [`Profile::chrome_trace`] is a timeline for Perfetto and `chrome://tracing`. A first run compiles:
/// profile a second one to see what a loop costs.
///
/// PyTorch has it as `torch.profiler.profile`, CuPy as `cupyx.profiler`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let x = DeviceArray::<f64>::linspace(0.0, 1.0, 100_000);
/// x.eval()?;
/// let (total, profile) = lazuli::profile(|| (x.sin() * x.exp()).sum(..).item());
/// assert!((total? - 0.909330673631479 * 1e5).abs() < 20.0);
/// let row = &profile.rows()[0];
/// assert_eq!((row.name.as_str(), row.count), ("sin exp multiply sum", 1));
/// println!("{profile}"); // with the line of the program beside each row
/// # Ok::<(), Error>(())
/// ```
pub fn profile<R>(f: impl FnOnce() -> R) -> (R, Profile) {
    let collector = Rc::new(RefCell::new(Collector::default()));
    let begin = Instant::now();
    let result = while_collected(collector.clone(), f);
    let wall = begin.elapsed();
    let collector = std::mem::take(&mut *collector.borrow_mut());
    (result, collector.finish(begin, wall))
}

/// What [`profile`] found. Print it for the tables.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    wall: Duration,
    /// By kind of work, the time of the host without what it contains.
    host: FxHashMap<Work, Duration>,
    rows: Vec<ProfileRow>,
    lines: Vec<ProfileLine>,
    events: Vec<Event>,
    lost: usize,
    /// For each device that did something, the most memory seen in use.
    memory: Vec<(Device, usize)>,
}

/// What kernels of one name, library calls, or copies that one line asked for took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProfileRow {
    /// `kernel`, `library call`, `user's kernel`, `copy to the device` or `copy to the host`.
    pub kind: &'static str,
    /// What is computed, `sin exp sum` say.
    pub name: String,
    /// The line of the program that recorded it; none where only code of libraries is known.
    pub line: Option<&'static Location<'static>>,
    /// The device.
    pub device: Device,
    /// How many there were.
    pub count: u64,
    /// The time that they took: of kernels and library calls on the device, of copies on the host.
    pub time: Duration,
    /// The bytes that they read and wrote, each array once; 0 where that is not known.
    pub bytes: u64,
}

/// What one line of the program took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProfileLine {
    /// The line.
    pub line: &'static Location<'static>,
    /// The time of its kernels and library calls on the device.
    pub device_time: Duration,
    /// The time of the host for planning, compiling, launching, copying and waiting.
    pub host_time: Duration,
    /// The names of its kernels and library calls, those that took longest first.
    pub names: Vec<String>,
}

/// A span on the timeline.
#[derive(Clone, Debug)]
struct Event {
    work: Work,
    name: String,
    line: Option<Line>,
    bytes: u64,
    device: Device,
    /// Since the profile began.
    host: (Duration, Duration),
    on_device: Option<(Duration, Duration)>,
}

impl Profile {
    /// Kernels, library calls and copies by name and line; those that took longest first.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f64>::ones([1000]);
    /// let (_, profile) = lazuli::profile(|| x.cumsum(0).to_vec());
    /// let names: Vec<_> = profile.rows().iter().map(|row| row.name.as_str()).collect();
    /// assert!(names.contains(&"cumsum") && names.contains(&"copy to the host"));
    /// ```
    pub fn rows(&self) -> &[ProfileRow] {
        &self.rows
    }

    /// The lines of the program; those that took longest first.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| {
    ///     let slow = DeviceArray::<f64>::linspace(0.0, 1.0, 300_000).gamma();
    ///     slow.sum(..).item()
    /// });
    /// for line in profile.lines() {
    ///     println!("{}: {:?} on the device", line.line, line.device_time);
    /// }
    /// assert!(profile.lines().iter().all(|line| line.device_time <= profile.device_time()));
    /// ```
    pub fn lines(&self) -> &[ProfileLine] {
        &self.lines
    }

    /// The time from the beginning of the function to its end, and on until every device was done.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| DeviceArray::<f64>::ones([9]).sum(..).item());
    /// assert!(profile.wall() >= profile.planning() + profile.compiling());
    /// ```
    pub fn wall(&self) -> Duration {
        self.wall
    }

    /// The time of kernels and library calls on the devices.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| DeviceArray::<f64>::ones([9]).sum(..).item());
    /// assert!(profile.device_time() > std::time::Duration::ZERO);
    /// ```
    pub fn device_time(&self) -> Duration {
        let on_device = |row: &&ProfileRow| !row.kind.starts_with("copy");
        self.rows.iter().filter(on_device).map(|row| row.time).sum()
    }

    /// The time that the host spent on plans.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| DeviceArray::<f64>::ones([9]));
    /// assert!(profile.planning().is_zero()); // nothing was evaluated
    /// ```
    pub fn planning(&self) -> Duration {
        self.of_host(&[Work::Plan])
    }

    /// The time that the host spent on compiling kernels, or on finding them in a cache.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| DeviceArray::<f64>::ones([9]));
    /// assert!(profile.compiling().is_zero()); // nothing was evaluated
    /// ```
    pub fn compiling(&self) -> Duration {
        self.of_host(&[Work::Compile])
    }

    /// The time that the host spent on copies from and to devices.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| DeviceArray::from_slice(&[1.0, 2.0]));
    /// assert!(profile.copying() > std::time::Duration::ZERO);
    /// ```
    pub fn copying(&self) -> Duration {
        self.of_host(&[Work::Upload, Work::Download])
    }

    /// The time that the host waited for GPUs before it copied from them.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let on_processor = || DeviceArray::<f64>::ones([9]).sum(..).item();
    /// let (_, profile) = lazuli::profile(|| Device::cpu().scope(on_processor));
    /// assert!(profile.waiting().is_zero());
    /// ```
    pub fn waiting(&self) -> Duration {
        self.of_host(&[Work::Wait])
    }

    /// The time that evaluations took besides: finding plans, memory, and launching.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let (_, profile) = lazuli::profile(|| DeviceArray::<f64>::ones([9]).sum(..).item());
    /// assert!(profile.launching() > std::time::Duration::ZERO);
    /// ```
    pub fn launching(&self) -> Duration {
        let launching = self.of_host(&[Work::Evaluate, Work::Loop]);
        launching + self.host.get(&Work::Kernel).copied().unwrap_or_default()
    }

    /// The rest: the program itself, and recording.
    ///
    /// # Example
    /// ```
    /// let nap = std::time::Duration::from_millis(5);
    /// let (_, profile) = lazuli::profile(|| std::thread::sleep(nap));
    /// assert!(profile.program() >= nap);
    /// ```
    pub fn program(&self) -> Duration {
        let known = [self.planning(), self.compiling(), self.copying(), self.waiting()];
        let known: Duration = known.iter().sum::<Duration>() + self.launching() + self.computing();
        self.wall.saturating_sub(known)
    }

    /// The time of the host for kernels of the processor.
    fn computing(&self) -> Duration {
        let processor = |row: &&ProfileRow| !row.device.is_cuda() && !row.kind.starts_with("copy");
        self.rows.iter().filter(processor).map(|row| row.time).sum()
    }

    /// The most memory of a device that was in use at the end of a kernel or call, in bytes.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = Device::cpu().scope(|| DeviceArray::<f64>::ones([1000]));
    /// let (_, profile) = lazuli::profile(|| x.cumsum(0).eval());
    /// assert!(profile.peak_memory(Device::cpu()) >= 8000);
    /// ```
    pub fn peak_memory(&self, device: Device) -> usize {
        self.memory.iter().find(|memory| memory.0 == device).map_or(0, |memory| memory.1)
    }

    /// A timeline in the format of Chrome's tracing, which Perfetto (`ui.perfetto.dev`) and
    /// `chrome://tracing` open: the host above, each device below. It has the first 100,000 spans.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f64>::ones([1000]);
    /// let (_, profile) = lazuli::profile(|| x.exp().sum(..).item());
    /// let json = profile.chrome_trace();
    /// assert!(json.contains("\"name\":\"exp sum\""));
    /// ```
    pub fn chrome_trace(&self) -> String {
        chrome::trace(self)
    }

    /// A picture: how the time is divided, and the rows that took longest.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f64>::ones([1000]);
    /// let (_, profile) = lazuli::profile(|| x.exp().sum(..).item());
    /// let svg = profile.svg();
    /// assert!(svg.starts_with("<svg") && svg.contains("exp sum"));
    /// ```
    pub fn svg(&self) -> String {
        picture::svg(self)
    }

    fn of_host(&self, work: &[Work]) -> Duration {
        work.iter().filter_map(|work| self.host.get(work)).sum()
    }

    /// The devices that did something, as they are known.
    fn devices(&self) -> Vec<DeviceInfo> {
        self.memory.iter().map(|memory| memory.0.info()).collect()
    }
}

impl ProfileRow {
    /// The bytes a second that were read and written; none where that is not known.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f32>::linspace(0.0, 1.0, 1 << 20);
    /// x.eval()?;
    /// let (_, profile) = lazuli::profile(|| (&x * 2.0).eval());
    /// assert!(profile.rows()[0].bandwidth().is_some_and(|bytes| bytes > 1e6));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bandwidth(&self) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        (self.bytes > 0 && seconds > 0.0).then(|| self.bytes as f64 / seconds)
    }
}

/// What makes a row: kind of work, name, line and device.
type Key = (Work, String, Option<(&'static str, u32)>, Device);

#[derive(Default)]
struct Collector {
    rows: FxHashMap<Key, ProfileRow>,
    lines: FxHashMap<(&'static str, u32), ProfileLine>,
    host: FxHashMap<Work, Duration>,
    events: Vec<Ended>,
    lost: usize,
    memory: Vec<(Device, usize)>,
}

impl Sink for Collector {
    fn take(&mut self, ended: &Ended) {
        let Ended { work, what, device, own, on_device, .. } = ended;
        let is_copy = matches!(work, Work::Upload | Work::Download);
        let is_computed_here = work.is_on_device() && !device.is_cuda();
        if work.is_on_device() || is_copy {
            self.row(ended, is_copy);
            self.note_memory(*device);
        }
        if !is_computed_here {
            // What launches on a GPU is all one.
            let work = if work.is_on_device() { Work::Kernel } else { *work };
            *self.host.entry(work).or_default() += *own;
        }
        if let Some(line) = what.line {
            let entry = self.lines.entry((line.file(), line.line()));
            let entry = entry.or_insert_with(|| ProfileLine {
                line,
                device_time: Duration::ZERO,
                host_time: Duration::ZERO,
                names: Vec::new(),
            });
            if work.is_on_device() {
                entry.device_time += on_device.map_or(Duration::ZERO, |time| time.1);
            }
            if !is_computed_here {
                entry.host_time += *own;
            }
        }
        match self.events.len() < MOST_EVENTS {
            true => self.events.push(ended.clone()),
            false => self.lost += 1,
        }
    }
}

impl Collector {
    fn row(&mut self, ended: &Ended, is_copy: bool) {
        let Ended { work, what, device, host, on_device, .. } = ended;
        let line = what.line.map(|line| (line.file(), line.line()));
        let key = (*work, what.name.to_string(), line, *device);
        let row = self.rows.entry(key).or_insert_with(|| ProfileRow {
            kind: work.name(),
            name: what.name.to_string(),
            line: what.line,
            device: *device,
            count: 0,
            time: Duration::ZERO,
            bytes: 0,
        });
        row.count += 1;
        row.bytes += what.bytes;
        row.time += match is_copy {
            true => *host,
            false => on_device.map_or(Duration::ZERO, |time| time.1),
        };
    }

    fn note_memory(&mut self, device: Device) {
        let in_use = device.memory_use().in_use;
        match self.memory.iter_mut().find(|memory| memory.0 == device) {
            Some(memory) => memory.1 = memory.1.max(in_use),
            None => self.memory.push((device, in_use)),
        }
    }

    fn finish(self, begin: Instant, wall: Duration) -> Profile {
        let mut rows: Vec<ProfileRow> = self.rows.into_values().collect();
        let place = |row: &ProfileRow| row.line.map(|line| (line.file(), line.line()));
        rows.sort_by(|a, b| {
            b.time.cmp(&a.time).then_with(|| (&a.name, place(a)).cmp(&(&b.name, place(b))))
        });
        let mut lines: Vec<ProfileLine> = self.lines.into_values().collect();
        for line in &mut lines {
            let here = |row: &&ProfileRow| {
                place(row) == Some((line.line.file(), line.line.line()))
                    && !row.kind.starts_with("copy")
            };
            line.names = rows.iter().filter(here).map(|row| row.name.clone()).collect();
        }
        lines.sort_by(|a, b| {
            let total = |line: &ProfileLine| line.device_time + line.host_time;
            let place = |line: &ProfileLine| (line.line.file(), line.line.line());
            total(b).cmp(&total(a)).then_with(|| place(a).cmp(&place(b)))
        });
        let since = |at: Instant| at.saturating_duration_since(begin);
        let event = |ended: Ended| Event {
            work: ended.work,
            name: ended.what.name.into_owned(),
            line: ended.what.line,
            bytes: ended.what.bytes,
            device: ended.device,
            host: (since(ended.begin), ended.host),
            on_device: ended.on_device.map(|(at, took)| (since(at), took)),
        };
        let events = self.events.into_iter().map(event).collect();
        let (host, lost, memory) = (self.host, self.lost, self.memory);
        Profile { wall, host, rows, lines, events, lost, memory }
    }
}

/// The bytes a second that a copy of a large array reads and writes on a device: measured when it is
/// first asked for; none where there is no room.
fn copy_bandwidth(device: Device) -> Option<f64> {
    /// Elements of a double: 128 MiB are read and written, more than most caches hold.
    const LENGTH: usize = 8 << 20;
    static KNOWN: parking_lot::Mutex<Vec<(Device, Option<f64>)>> =
        parking_lot::Mutex::new(Vec::new());
    if let Some(known) = KNOWN.lock().iter().find(|known| known.0 == device) {
        return known.1;
    }
    let measure = || -> Result<f64> {
        let from = DeviceArray::<f64>::try_ones([LENGTH])?;
        from.eval()?;
        // One that compiles and brings the memory, then the best of four.
        let mut best: f64 = 0.0;
        for turn in 0..5 {
            let copy = -&from;
            let (done, profile) = profile(|| copy.eval());
            done?;
            if turn > 0 {
                let rows = profile.rows.iter().filter_map(ProfileRow::bandwidth);
                best = rows.fold(best, f64::max);
            }
        }
        Ok(best)
    };
    // In a thread of its own: who prints a profile has not evaluated anything by that.
    let found = std::thread::scope(|scope| scope.spawn(|| device.scope(measure)).join());
    let found = found.ok().and_then(Result::ok).filter(|bytes| *bytes > 0.0);
    KNOWN.lock().push((device, found));
    found
}

/// A line as `src/main.rs:41`.
fn place(line: Option<Line>) -> String {
    line.map_or_else(|| "-".to_owned(), trace::short)
}
