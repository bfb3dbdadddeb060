//! Calls of users' functions over tiles.

use super::loops::Arg;
use super::program::{Call, CallArg, CallResult};
use super::worker::{Space, Worker};
use crate::function::TileArg;
use smallvec::SmallVec;

/// The arguments of a call as they lie in memory.
pub(super) type TileArgs = SmallVec<[TileArg; 8]>;
/// The places of the results of a call.
pub(super) type Places = SmallVec<[*mut u8; 4]>;

impl Worker<'_> {
    /// Calls a user's function for the tile.
    pub(super) fn call_user(&mut self, call: &Call, space: &Space) {
        let vector = call.args.iter().any(|a| self.slots[a.v as usize].vector);
        let n = if vector { space.shape.len } else { 1 };
        let args = self.call_args(call, n);
        let outs = self.call_places(call, vector, space);
        // SAFETY: arguments have `n` elements of the function's types, or one, and the places
        // of the results have room for as many and are disjoint.
        unsafe { (call.tile)(&args, &outs, n) };
        self.take_results(call, &outs, vector, n);
    }

    /// The arguments, halves narrowed.
    pub(super) fn call_args(&self, call: &Call, n: usize) -> TileArgs {
        let arg = |a: &CallArg| {
            let slot = self.slots[a.v as usize];
            let Some((moves, mem)) = &a.narrow else {
                return TileArg { ptr: slot.ptr, vector: slot.vector };
            };
            let (ptr, count) = (self.mem(*mem), if slot.vector { n } else { 1 });
            // SAFETY: the register has room for as many halves.
            unsafe { (moves.store)(ptr, 1, slot, count) };
            TileArg { ptr, vector: slot.vector }
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
            self.slots[v as usize] = Arg { ptr, vector };
        }
    }
}
