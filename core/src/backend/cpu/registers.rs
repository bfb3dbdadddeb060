//! Registers of programs: places in scratch memory, used again after a value's last use.

use super::affine::Map;
use super::guards::GUARD;
use super::program::{Call, Chain, Mem, Serial, Step, TURNS, UserSerial, round_up};
use crate::kernel::{AxisSet, Kernel};
use smallvec::{SmallVec, smallvec};

/// What registers of a program look like.
pub struct Frame<'a> {
    /// The kernel, for the types of values.
    pub kernel: &'a Kernel,
    /// The values that other programs use, whose registers stay.
    pub exported: Vec<bool>,
    /// The axes that tiles of the program lie along.
    pub along: AxisSet,
    /// The elements of a tile.
    pub elements: usize,
    /// Whether what stays lies in the outer region.
    pub outer: bool,
    /// Whether the tiles lie along the lanes: what these registers take says how long tiles are.
    pub lanes: bool,
}

/// Gives out scratch memory.
#[derive(Default)]
pub struct Registers {
    outer: usize,
    inner: usize,
    peak: usize,
    /// Registers of the current program that are free: bytes and place.
    free: Vec<(usize, Mem)>,
    /// Registers in use: value, bytes and place.
    live: Vec<(u32, usize, Mem)>,
    live_bytes: usize,
    /// What lies behind each register, in builds with debug assertions.
    guards: Vec<Mem>,
}

impl Registers {
    /// Room in the outer region.
    pub fn outer_alloc(&mut self, bytes: usize) -> Mem {
        let at = self.outer;
        self.outer += round_up(bytes);
        self.guard(Mem::outer(self.outer));
        self.outer += GUARD;
        Mem::outer(at)
    }

    /// Room in the inner region.
    pub fn inner_alloc(&mut self, bytes: usize) -> Mem {
        let at = self.inner;
        self.inner += round_up(bytes);
        self.guard(Mem::inner(self.inner));
        self.inner += GUARD;
        Mem::inner(at)
    }

    fn guard(&mut self, behind: Mem) {
        if GUARD > 0 {
            self.guards.push(behind);
        }
    }

    /// The guards behind all registers.
    pub fn guards(&self) -> &[Mem] {
        &self.guards
    }

    /// The bytes of the outer region.
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// The bytes of the inner region.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// The most bytes that the registers of a program along the lanes take at a time.
    pub fn peak_of_lanes(&self) -> usize {
        self.peak
    }

    /// Gives registers to the steps of a program.
    pub fn assign(&mut self, steps: &mut [Step], mut frame: Frame) {
        self.free.clear();
        self.live.clear();
        self.live_bytes = 0;
        self.block(steps, &mut frame, &[]);
    }

    /// Assigns the steps of a block, at whose end `at_end` are still used.
    fn block(&mut self, steps: &mut [Step], frame: &mut Frame, at_end: &[u32]) {
        let count = frame.kernel.values.len();
        let mut last: Vec<usize> = vec![0; count];
        at_end.iter().for_each(|&v| last[v as usize] = steps.len());
        for (k, step) in steps.iter().enumerate().rev() {
            for_each_use(step, &mut |v| last[v as usize] = last[v as usize].max(k));
            // The result of a choice may be one of the alternatives, in place.
            let (v, alternatives) = match step {
                Step::Op { v, args, choice: true, .. } => (*v, &args[1..]),
                Step::Chain(chain) => match &chain.choice {
                    Some(choice) => (chain.v, std::slice::from_ref(&choice.other)),
                    None => continue,
                },
                _ => continue,
            };
            for &a in alternatives {
                last[a as usize] = last[a as usize].max(last[v as usize]);
                frame.exported[a as usize] |= frame.exported[v as usize];
            }
        }
        let defined: Vec<u32> = steps.iter().flat_map(defines).collect();
        let mut mine = vec![false; count];
        defined.iter().for_each(|&v| mine[v as usize] = true);
        // A condition that was computed ahead for all turns may be an index in a turn as well: its
        // tile stays for the next turns.
        self.live.iter().for_each(|live| mine[live.0 as usize] = false);
        for (k, step) in steps.iter_mut().enumerate() {
            // An operation may write over an argument of the same size that it uses last.
            let in_place = match step {
                Step::Op { v, choice: false, .. } => Some(*v),
                Step::Chain(chain) if chain.choice.is_none() => Some(chain.v),
                _ => None,
            };
            if let Some(v) = in_place {
                let size = size_of_value(frame.kernel, v);
                self.release(|r| {
                    mine[r as usize]
                        && last[r as usize] == k
                        && size_of_value(frame.kernel, r) == size
                });
            }
            self.step(step, frame);
            self.release(|r| mine[r as usize] && last[r as usize] <= k);
        }
    }

    fn step(&mut self, step: &mut Step, frame: &mut Frame) {
        match step {
            Step::Index { v, map, index, mem } => {
                let plain = *map == Map::Same && index.values().next().is_none();
                if !plain {
                    *mem = self.take(*v, 8, frame);
                }
            }
            Step::Numbers { v, mem } => *mem = self.take(*v, 8, frame),
            Step::Truth { v, mem } => *mem = self.take(*v, 1, frame),
            Step::Scalar { v, mem, .. } => *mem = self.take(*v, 16, frame),
            Step::Load { v, mem, in_place, .. } => {
                if !*in_place {
                    *mem = self.take(*v, size_of_value(frame.kernel, *v), frame);
                }
            }
            Step::Op { v, mem, .. }
            | Step::RowLoad { v, mem, .. }
            | Step::Scan { v, mem, .. }
            | Step::Draw { v, mem, .. } => {
                *mem = self.take(*v, size_of_value(frame.kernel, *v), frame);
            }
            Step::Chain(chain) => {
                let Chain { v, mem, .. } = &mut **chain;
                *mem = self.take(*v, size_of_value(frame.kernel, *v), frame);
            }
            Step::Call(call) | Step::UserScan { call, .. } => self.call(call, frame),
            Step::UserSerial(serial) => self.user_serial(serial, frame),
            Step::Serial(serial) => self.serial(serial, frame),
            Step::UserFold { .. }
            | Step::Fold { .. }
            | Step::RowStore { .. }
            | Step::Store { .. } => {}
        }
    }

    /// Registers for a loop over Serial axes.
    fn serial(&mut self, serial: &mut Serial, frame: &mut Frame) {
        let Serial { axes, ahead, steps, pair, fold } = serial;
        let element = size_of_value(frame.kernel, fold.args[0]);
        fold.mem = self.take(fold.v, element, frame);
        if fold.search.is_some() {
            fold.places = self.take(fold.v, 8, frame);
        }
        let (axis, extent) = axes.last().expect("a loop has an axis");
        let turns = TURNS.min(*extent);
        let (along, elements) = (frame.along, frame.elements);
        for ahead in ahead.iter_mut() {
            (frame.along, frame.elements) = match ahead.slide {
                Some(_) => (along, elements + turns),
                None => (AxisSet::one(*axis as usize), turns),
            };
            let values: Vec<u32> = ahead.values.iter().map(|v| v.0).collect();
            let outer = frame.outer;
            if ahead.kept {
                // Nobody else gets these registers.
                let own = ahead.steps.iter().flat_map(defines);
                own.for_each(|v| frame.exported[v as usize] = true);
                frame.outer = false;
            }
            self.block(&mut ahead.steps, frame, &values);
            frame.outer = outer;
        }
        (frame.along, frame.elements) = (along, elements);
        let at_end = pair.as_ref().map_or(fold.args, |pair| pair.args);
        self.block(steps, frame, &at_end);
        let inside = || ahead.iter().flat_map(|a| &a.steps).chain(&*steps);
        self.release(|r| inside().any(|s| defines(s).contains(&r)));
    }

    /// Registers for a loop that folds by a user's function.
    fn user_serial(&mut self, serial: &mut UserSerial, frame: &mut Frame) {
        let mut temporary = Vec::new();
        for part in &mut serial.states.parts {
            let size = part.identity.dtype().size();
            let elements = frame.elements;
            part.temp = self.borrow(size * elements, &mut temporary);
            match (part.v, part.half) {
                (Some(v), None) => part.state = self.take(v, size, frame),
                (v, half) => {
                    part.state = self.borrow(size * elements, &mut temporary);
                    if half.is_some() {
                        part.narrow = self.borrow(size * elements, &mut temporary);
                        part.wide = v.map_or(part.state, |v| self.take(v, 4, frame));
                    }
                }
            }
        }
        self.block(&mut serial.steps, frame, &serial.args);
        self.release(|r| serial.steps.iter().any(|s| defines(s).contains(&r)));
        self.free.append(&mut temporary);
    }

    /// Registers for the results of a call, and room for halves and for what nothing uses.
    fn call(&mut self, call: &mut Call, frame: &Frame) {
        let mut temporary = Vec::new();
        for result in &mut call.results {
            let size = result.dtype.compute().size();
            result.mem = match result.v {
                Some(v) => self.take(v, size, frame),
                None => self.borrow(size * frame.elements, &mut temporary),
            };
        }
        let arguments = call.args.iter_mut().filter_map(|a| a.narrow.as_mut());
        let results = call.results.iter_mut().filter_map(|r| r.widen.as_mut());
        for (_, mem) in arguments.chain(results) {
            *mem = self.borrow(2 * frame.elements, &mut temporary);
        }
        self.free.append(&mut temporary);
    }

    /// Room that is free again once `borrowed` is given back.
    fn borrow(&mut self, bytes: usize, borrowed: &mut Vec<(usize, Mem)>) -> Mem {
        let bytes = round_up(bytes.max(16));
        let mem = match self.free.iter().rposition(|f| f.0 == bytes) {
            Some(at) => self.free.swap_remove(at).1,
            None => self.inner_alloc(bytes),
        };
        borrowed.push((bytes, mem));
        mem
    }

    /// A register for a value.
    fn take(&mut self, v: u32, size: usize, frame: &Frame) -> Mem {
        let varies = !frame.kernel.values[v as usize].axes.intersection(frame.along).is_empty();
        let bytes = round_up(if varies { size * frame.elements } else { 16 });
        if frame.exported[v as usize] {
            if frame.lanes {
                self.peak = self.peak.max(self.live_bytes + bytes);
            }
            return if frame.outer { self.outer_alloc(bytes) } else { self.inner_alloc(bytes) };
        }
        let mem = match self.free.iter().rposition(|f| f.0 == bytes) {
            Some(at) => self.free.swap_remove(at).1,
            None => self.inner_alloc(bytes),
        };
        self.live.push((v, bytes, mem));
        self.live_bytes += bytes;
        if frame.lanes {
            self.peak = self.peak.max(self.live_bytes);
        }
        mem
    }

    /// Frees the registers of some values.
    fn release(&mut self, dead: impl Fn(u32) -> bool) {
        let mut k = 0;
        while k < self.live.len() {
            let (v, bytes, mem) = self.live[k];
            if dead(v) {
                self.live.swap_remove(k);
                self.live_bytes -= bytes;
                self.free.push((bytes, mem));
            } else {
                k += 1;
            }
        }
    }
}

fn size_of_value(kernel: &Kernel, v: u32) -> usize {
    kernel.values[v as usize].dtype.compute().size()
}

/// The values that a step makes.
pub(super) fn defines(step: &Step) -> SmallVec<[u32; 2]> {
    match step {
        Step::Index { v, .. }
        | Step::Numbers { v, .. }
        | Step::Truth { v, .. }
        | Step::Scalar { v, .. }
        | Step::Op { v, .. }
        | Step::Scan { v, .. }
        | Step::Load { v, .. }
        | Step::Draw { v, .. }
        | Step::RowLoad { v, .. } => smallvec![*v],
        Step::Chain(chain) => smallvec![chain.v],
        Step::Call(call) | Step::UserScan { call, .. } => {
            call.results.iter().filter_map(|r| r.v).collect()
        }
        Step::Serial(serial) => smallvec![serial.fold.v],
        Step::UserSerial(serial) => serial.states.parts.iter().filter_map(|p| p.v).collect(),
        Step::UserFold { .. } | Step::Fold { .. } | Step::RowStore { .. } | Step::Store { .. } => {
            SmallVec::new()
        }
    }
}

/// Calls `f` for each value that a step uses.
pub(super) fn for_each_use(step: &Step, f: &mut impl FnMut(u32)) {
    match step {
        Step::Index { index, .. } => index.values().for_each(|v| f(v.0)),
        Step::Numbers { v, .. } | Step::Truth { v, .. } => f(*v),
        Step::Scalar { .. } => {}
        Step::Op { args, .. } => args.iter().for_each(|&a| f(a)),
        Step::Chain(chain) => {
            f(chain.first);
            chain.links.iter().for_each(|link| f(link.arg));
            chain.choice.iter().for_each(|c| [c.condition, c.other].into_iter().for_each(&mut *f));
        }
        Step::Call(call) | Step::UserScan { call, .. } => call.args.iter().for_each(|a| f(a.v)),
        Step::Scan { arg, .. } => f(*arg),
        Step::Draw { index, seed, .. } => {
            index.values().for_each(|v| f(v.0));
            seed.iter().for_each(|&v| f(v));
        }
        Step::Load { index, mask, .. } | Step::RowLoad { index, mask, .. } => {
            index.values().for_each(|v| f(v.0));
            mask.iter().for_each(|&m| f(m));
        }
        Step::Serial(serial) => {
            let ahead = serial.ahead.iter().flat_map(|a| &a.steps);
            ahead.chain(&serial.steps).for_each(|s| for_each_use(s, f));
            let args = serial.pair.as_ref().map_or(serial.fold.args, |pair| pair.args);
            args.iter().for_each(|&a| f(a));
        }
        Step::UserSerial(serial) => {
            serial.steps.iter().for_each(|s| for_each_use(s, f));
            serial.args.iter().for_each(|&a| f(a));
        }
        Step::UserFold { args, .. } => args.iter().for_each(|&a| f(a)),
        Step::Fold { args, .. } => args.iter().for_each(|&a| f(a)),
        Step::RowStore { value, .. } => f(*value),
        Step::Store { uses, .. } => uses.iter().for_each(|&u| f(u)),
    }
}
