//! Scans by users' functions: states of several components, in the order of their elements.
//!
//! A user's function takes whole tiles, and is fast on many elements at a time. So a tile of a row
//! is scanned in a tree: neighbours are combined until one state is left for each row; from there,
//! every state that is known for pairs gives those of both halves, with one more combination. That
//! is about two combinations an element, in as many calls as the length has bits, twice. What lies
//! before the tile comes in at the top. Across the lanes a tile holds one position of R, and a
//! single call combines it with what lies before.

use super::calls::TileArgs;
use super::copy::fill;
use super::guarded::Guarded;
use super::interleave::{merge, shift, split};
use super::layout::Mode;
use super::lower::Lowering;
use super::program::{
    Call, CallArg, CallResult, Mem, SCAN_SWEEP, ScanPart, Step, Target, UserScan, round_up,
};
use super::worker::{Space, Worker};
use crate::dtype::{DType, Scalar};
use crate::function::{ScanBy, TileArg};
use crate::kernel::{Inst, Val};
use smallvec::SmallVec;

/// A level of the tree: the elements of a row, those of half of it, and where its even ones are.
struct Level {
    len: usize,
    half: usize,
    even: usize,
}

impl Lowering<'_> {
    /// The scans of a sweep by users' functions.
    pub(super) fn user_scans(&mut self, sweep: usize) -> Vec<UserScan> {
        let scans = if sweep == SCAN_SWEEP { self.kernel.scans() } else { Vec::new() };
        scans.into_iter().filter_map(|v| self.user_scan_state(v)).collect()
    }

    fn user_scan_state(&mut self, v: Val) -> Option<UserScan> {
        let Inst::Scan { by: ScanBy::User(fold), exclusive, .. } = &self.kernel.value(v).inst
        else {
            return None;
        };
        let (tile, across) = (self.sizes.len, self.layout.mode == Mode::AcrossReduce);
        let count = match self.layout.mode {
            Mode::AcrossReduce => self.sizes.len,
            Mode::ShortRows => self.sizes.tile,
            _ => self.sizes.block,
        };
        let registers = &mut self.registers;
        let part = |&identity: &Scalar| {
            let size = identity.dtype().size();
            let mut room = |count: usize| registers.inner_alloc(round_up(count * size));
            // Across the lanes there is no tree, but new states need room.
            let tree = if across { 0 } else { tile };
            ScanPart {
                identity,
                carry: room(count),
                even: room(2 * tree),
                odd: room(tree),
                levels: [room(tile), room(tree), room(tree)],
            }
        };
        Some(UserScan {
            function: Guarded::new(&fold.function),
            parts: fold.identity.iter().map(part).collect(),
            exclusive: *exclusive,
        })
    }

    /// The step of a scan by a user's function, which makes all components of its states.
    pub(super) fn user_scan(&self, v: Val, target: impl Fn(Val) -> Target) -> Option<Step> {
        let Inst::Scan { by: ScanBy::User(fold), args, .. } = &self.kernel.value(v).inst else {
            return None;
        };
        let is_user = |v: &Val| self.kernel.value(*v).inst.fold().is_some();
        let mut scans = self.kernel.scans().into_iter().filter(is_user);
        let scan = scans.position(|s| s == v).expect("it is one of them") as u32;
        let result = |(value, &dtype): (&Option<Val>, &DType)| CallResult {
            v: value.map(|v| v.0),
            dtype,
            mem: Mem::default(),
            widen: self.half(dtype),
            target: value.map_or(Target::Register, &target),
        };
        let arg = |&a: &Val| CallArg { v: a.0, narrow: self.half(self.kernel.value(a).dtype) };
        let call = Call {
            name: fold.function.name.clone(),
            function: Guarded::new(&fold.function),
            light: false,
            args: args.iter().map(arg).collect(),
            results: self.kernel.components(v).iter().zip(fold.types()).map(result).collect(),
        };
        Some(Step::UserScan { scan, call: Box::new(call) })
    }
}

impl Worker<'_> {
    /// Begins the users' scans of a unit with their identities.
    pub(super) fn begin_user_scans(&self) {
        let width = self.width();
        for part in self.l.p.sweeps[SCAN_SWEEP].user_scans.iter().flat_map(|s| &s.parts) {
            fill(self.mem(part.carry), part.identity.bytes(), width);
        }
    }

    /// Begins the users' scans with what lies before a chunk, and says in `own` what all elements
    /// up to its end combine to, where another chunk needs it.
    ///
    /// # Safety
    /// `before` and `own` hold the states of a chunk, as `save_states` lays them out.
    pub(super) unsafe fn line_up(&self, before: Option<*const u8>, own: Option<*mut u8>) {
        let (p, width) = (self.l.p, self.width());
        let mut offset = 0;
        for (states, scan) in p.sweeps[0].states.iter().zip(&p.sweeps[SCAN_SWEEP].user_scans) {
            let mut args: (TileArgs, TileArgs) = Default::default();
            for part in &scan.parts {
                let bytes = width * part.size();
                let arg = |ptr: *const u8| TileArg::near(ptr.wrapping_add(offset), true);
                if let Some(before) = before.map(arg) {
                    // SAFETY: the caller gives the states, and the carry has room for them.
                    unsafe {
                        std::ptr::copy_nonoverlapping(before.ptr, self.mem(part.carry), bytes);
                    }
                    args.0.push(before);
                }
                args.1.extend(own.map(|own| arg(own)));
                offset += round_up(bytes);
            }
            if args.0.is_empty() || args.1.is_empty() {
                continue;
            }
            let outs: SmallVec<[*mut u8; 4]> =
                states.parts.iter().map(|part| self.mem(part.temp)).collect();
            let both: TileArgs = args.0.iter().chain(&args.1).copied().collect();
            // SAFETY: the caller gives the states, and there is room for as many.
            unsafe {
                scan.function.run(&both, &outs, width);
                for ((part, to), from) in scan.parts.iter().zip(&args.1).zip(outs) {
                    let bytes = width * part.size();
                    std::ptr::copy_nonoverlapping(from, to.ptr.cast_mut(), bytes);
                }
            }
        }
    }

    /// Scans a tile by a user's function.
    pub(super) fn user_scan(&mut self, scan: u32, call: &Call, space: &Space) {
        let p = self.l.p;
        let (scan, n) = (&p.sweeps[SCAN_SWEEP].user_scans[scan as usize], space.shape.len);
        let args = self.call_args(call, n);
        let outs = self.call_places(call, true, space);
        // SAFETY: the arguments have `n` elements, or one; the results and the memory of the scan
        // have room for as many, and are disjoint.
        unsafe {
            match p.layout.mode {
                Mode::AcrossReduce => self.scan_across(scan, &args, &outs, n),
                Mode::ShortRows => {
                    let rows = space.shape.extent[0];
                    self.scan_along(scan, args, &outs, rows, n / rows);
                }
                _ => self.scan_along(scan, args, &outs, 1, n),
            }
        }
        self.take_results(call, &outs, true, n);
    }

    /// Scans one position of R of `n` positions of X.
    ///
    /// # Safety
    /// As [`scan_along`](Self::scan_along).
    unsafe fn scan_across(&self, scan: &UserScan, args: &[TileArg], outs: &[*mut u8], n: usize) {
        let vector = |ptr: *mut u8| TileArg::near(ptr, true);
        let carries = scan.parts.iter().map(|part| vector(self.mem(part.carry)));
        let both: TileArgs = carries.chain(args.iter().copied()).collect();
        let next: SmallVec<[*mut u8; 4]> =
            scan.parts.iter().map(|part| self.mem(part.levels[0])).collect();
        // SAFETY: the caller says so.
        unsafe {
            scan.function.run(&both, &next, n);
            for ((part, &next), &out) in scan.parts.iter().zip(&next).zip(outs) {
                let (carry, bytes) = (self.mem(part.carry), n * part.size());
                let result = if scan.exclusive { carry } else { next };
                std::ptr::copy_nonoverlapping(result, out, bytes);
                std::ptr::copy_nonoverlapping(next, carry, bytes);
            }
        }
    }

    /// Scans each of `rows` rows of `len` elements.
    ///
    /// # Safety
    /// The arguments have the elements, or one for all; `outs` have room for as many, and nothing
    /// of it is memory of the scan.
    unsafe fn scan_along(
        &self,
        scan: &UserScan,
        mut from: TileArgs,
        outs: &[*mut u8],
        rows: usize,
        len: usize,
    ) {
        let vector = |ptr: *mut u8| TileArg::near(ptr, true);
        let at = |mem: Mem, part: &ScanPart, elements: usize| {
            self.mem(mem).wrapping_add(elements * part.size())
        };
        let carry = |part: &ScanPart| at(part.carry, part, self.row);
        let level = |k: usize| -> SmallVec<[*mut u8; 4]> {
            scan.parts.iter().map(|part| self.mem(part.levels[k])).collect()
        };
        let (mut levels, mut len, mut even): (SmallVec<[Level; 16]>, _, _) =
            (SmallVec::new(), len, 0);
        // SAFETY: the levels of rows of `len` elements have less than twice as many together, and
        // each of them no more than the tile.
        unsafe {
            while len > 1 {
                let half = len.div_ceil(2);
                let mut pairs: (TileArgs, TileArgs) = Default::default();
                for (from, part) in from.iter().zip(&scan.parts) {
                    let (left, right) = (at(part.even, part, even), self.mem(part.odd));
                    split(*from, left, right, rows, len, part.identity.bytes());
                    pairs.0.push(vector(left));
                    pairs.1.push(vector(right));
                }
                let both: TileArgs = pairs.0.into_iter().chain(pairs.1).collect();
                scan.function.run(&both, &level(0), rows * half);
                from = level(0).into_iter().map(vector).collect();
                levels.push(Level { len, half, even });
                even += rows * half;
                len = half;
            }
            let carries = scan.parts.iter().map(|part| vector(carry(part)));
            let both: TileArgs = carries.chain(from).collect();
            scan.function.run(&both, &level(1), rows);
            // The states of a level, and where those of the next one go.
            let (mut known, mut free) = (1, [0, 2]);
            while let Some(Level { len, half, even }) = levels.pop() {
                let mut pairs: (TileArgs, TileArgs) = Default::default();
                for part in &scan.parts {
                    let before = self.mem(part.odd);
                    shift(
                        part.size(),
                        self.mem(part.levels[known]),
                        carry(part),
                        before,
                        rows,
                        half,
                    );
                    pairs.0.push(vector(before));
                    pairs.1.push(vector(at(part.even, part, even)));
                }
                let both: TileArgs = pairs.0.into_iter().chain(pairs.1).collect();
                scan.function.run(&both, &level(free[0]), rows * half);
                if levels.is_empty() {
                    return self.finish_tile(scan, outs, [known, free[0]], rows, len);
                }
                for part in &scan.parts {
                    let [left, right, to] =
                        [free[0], known, free[1]].map(|k| self.mem(part.levels[k]));
                    merge(part.size(), left, right, to, rows, len);
                }
                (known, free) = (free[1], [known, free[0]]);
            }
            // Rows of one element, of which the states are known.
            for (part, &out) in scan.parts.iter().zip(outs) {
                let (known, bytes) = (self.mem(part.levels[known]), rows * part.size());
                let result = if scan.exclusive { carry(part) } else { known };
                std::ptr::copy_nonoverlapping(result, out, bytes);
                std::ptr::copy_nonoverlapping(known, carry(part), bytes);
            }
        }
    }

    /// Writes the results of a tile from the states at odd and at even positions, and leaves the
    /// last state of each row for the next tile.
    ///
    /// # Safety
    /// As [`scan_along`](Self::scan_along); `len` is more than 1.
    unsafe fn finish_tile(
        &self,
        scan: &UserScan,
        outs: &[*mut u8],
        [odd, even]: [usize; 2],
        rows: usize,
        len: usize,
    ) {
        for (part, &out) in scan.parts.iter().zip(outs) {
            let (size, half) = (part.size(), len.div_ceil(2));
            let [odd, even] = [odd, even].map(|k| self.mem(part.levels[k]));
            let carry = self.mem(part.carry).wrapping_add(self.row * size);
            // SAFETY: the caller says so.
            unsafe {
                match scan.exclusive {
                    // What lies before an even position is what lies before its pair.
                    true => merge(size, self.mem(part.odd), even, out, rows, len),
                    false => merge(size, even, odd, out, rows, len),
                }
                let last = if len % 2 == 1 { even } else { odd };
                for row in 0..rows {
                    let from = last.add(((row + 1) * half - 1) * size);
                    std::ptr::copy_nonoverlapping(from, carry.add(row * size), size);
                }
            }
        }
    }
}
