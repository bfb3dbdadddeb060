//! Calls of users' functions over tiles.

use super::program::{Call, CallArg, CallResult, Target};
use super::worker::{Space, Worker};
use crate::function::TileArg;
use lazuli_inner_loops::operations::Arg;
use smallvec::SmallVec;

/// The arguments of a call as they lie in memory.
pub(super) type TileArgs = SmallVec<[TileArg; 8]>;
/// The places of the results of a call.
pub(super) type Places = SmallVec<[*mut u8; 4]>;

/// The elements that wait in the first cache for their way past the others. With more of them what
/// is asked for ahead has no room beside them: `2·x` of 30 million doubles as a user's function took
/// 7.1 ms by whole tiles, 6.1 by parts of 1024, 5.3 of 512 and 4.5 of 256 (AMD EPYC, two cores).
pub(super) const PART: usize = if cfg!(test) { 32 } else { 256 };

impl Worker<'_> {
    /// Calls a user's function for the tile.
    pub(super) fn call_user(&mut self, call: &Call, space: &Space) {
        let vector = call.args.iter().any(|a| self.slots[a.v as usize].vector);
        let n = if vector { space.shape.len } else { 1 };
        let args = self.call_args(call, n);
        let outs = self.call_places(call, vector, space);
        if vector && call.results.iter().any(|r| matches!(r.target, Target::Stream(_))) {
            self.call_in_parts(call, &args, &outs, n);
        } else {
            // SAFETY: arguments have `n` elements of the function's types, or one, and the places
            // of the results have room for as many and are disjoint.
            unsafe { call.function.run(&args, &outs, n) };
        }
        self.take_results(call, &outs, vector, n);
    }

    /// Calls for a part of the tile after the other: what goes past the caches waits for its way
    /// there in the first cache.
    #[inline(never)]
    fn call_in_parts(&self, call: &Call, args: &[TileArg], outs: &[*mut u8], n: usize) {
        // Where each result is written first, how it goes on, and the bytes of an element.
        let way = |(result, &out): (&CallResult, &*mut u8)| {
            let stream = match result.target {
                Target::Stream(k) if out != self.mem(result.mem) => {
                    self.l.p.store_moves[k as usize].stream
                }
                _ => None,
            };
            (if stream.is_some() { self.mem(result.mem) } else { out }, stream, result.dtype.size())
        };
        let ways: SmallVec<[_; 4]> = call.results.iter().zip(outs).map(way).collect();
        let mut args: TileArgs = args.into();
        let mut places: Places = ways.iter().map(|way| way.0).collect();
        for from in (0..n).step_by(PART) {
            let count = PART.min(n - from);
            // SAFETY: as for the whole tile; what waits in a register goes to its place.
            unsafe {
                call.function.run(&args, &places, count);
                for (&(place, stream, size), &out) in ways.iter().zip(outs) {
                    if let Some(stream) = stream {
                        stream(out.wrapping_add(from * size), place, count * size);
                    }
                }
            }
            for (arg, a) in args.iter_mut().zip(&call.args).filter(|(arg, _)| arg.vector) {
                let size = self.l.p.kernel.values[a.v as usize].dtype.size();
                arg.ptr = arg.ptr.wrapping_add(PART * size);
            }
            for (place, (_, stream, size)) in places.iter_mut().zip(&ways) {
                if stream.is_none() {
                    *place = place.wrapping_add(PART * size);
                }
            }
        }
    }

    /// The arguments, halves narrowed.
    pub(super) fn call_args(&self, call: &Call, n: usize) -> TileArgs {
        let arg = |a: &CallArg| {
            let slot = self.slots[a.v as usize];
            let Some((moves, mem)) = &a.narrow else {
                return TileArg { ptr: slot.ptr, vector: slot.vector, far: slot.far };
            };
            let (ptr, count) = (self.mem(*mem), if slot.vector { n } else { 1 });
            // SAFETY: the register has room for as many halves.
            unsafe { (moves.store)(ptr, 1, slot, count) };
            TileArg::near(ptr, slot.vector)
        };
        call.args.iter().map(arg).collect()
    }

    /// Where the results are written: halves before they are widened.
    pub(super) fn call_places(&self, call: &Call, vector: bool, space: &Space) -> Places {
        let place = |r: &CallResult| match &r.widen {
            Some((_, mem)) => self.mem(*mem),
            None => self.target(r.target, vector, r.mem, space),
        };
        call.results.iter().map(place).collect()
    }

    /// Makes what was written the values of the results, halves widened.
    pub(super) fn take_results(&mut self, call: &Call, outs: &[*mut u8], vector: bool, n: usize) {
        for (result, &out) in call.results.iter().zip(outs) {
            let Some(v) = result.v else { continue };
            let mut ptr = out;
            if let Some((moves, _)) = &result.widen {
                ptr = self.mem(result.mem);
                // SAFETY: the register has room for `n` elements, which the call wrote.
                unsafe { (moves.load)(ptr, out, 1, n) };
            }
            self.slots[v as usize] = Arg::near(ptr, vector);
        }
    }
}
