//! Calls of users' functions that may panic, or need more stack than a thread has.
//!
//! A panic ends the launch with an error (`caught.rs`); which element it was is found afterwards
//! (`eval/culprit.rs`). Functions with arrays among their locals run on large stacks (`stacks.rs`).

use super::copy::end_streams;
use super::stacks;
use crate::caught::{Caught, catch, catch_again, raise};
use crate::dtype::{DType, Scalar, with_dtype};
use crate::error::Error;
use crate::function::{Function, TileArg, TileFn};
use smallvec::SmallVec;
use std::sync::Arc;

/// A function's loop over a tile, whose panic ends the launch with an error.
#[derive(Clone)]
pub struct Guarded {
    function: Arc<Function>,
    tile: TileFn,
    /// Whether an element is combined with its neighbour: then an argument has two for each result.
    pairs: bool,
    /// Whether there are arrays among the locals.
    deep: bool,
}

impl Guarded {
    /// The function element by element.
    pub fn new(function: &Arc<Function>) -> Self {
        let tile = function.tile.expect("whoever recorded the call has checked");
        Self::of(function, tile, false)
    }

    /// The function of two states over neighbours, if it has such a loop.
    pub fn over_neighbours(function: &Arc<Function>) -> Option<Self> {
        function.neighbours.map(|tile| Self::of(function, tile, true))
    }

    fn of(function: &Arc<Function>, tile: TileFn, pairs: bool) -> Self {
        let deep = function.cuda.as_ref().is_none_or(|code| code.has_arrays());
        Guarded { function: function.clone(), tile, pairs, deep }
    }

    /// Calls the function for `n` results.
    ///
    /// # Safety
    /// As [`TileFn`] says, with twice as many elements of the arguments for neighbours.
    #[inline]
    pub unsafe fn run(&self, args: &[TileArg], outs: &[*mut u8], n: usize) {
        // SAFETY: the caller keeps the contract.
        let all = || unsafe { (self.tile)(args, outs, n) };
        if let Err(caught) = catch(|| self.on_stack(all)) {
            // SAFETY: as above.
            unsafe { self.fail(caught, args, outs, n) }
        }
    }

    #[inline(always)]
    fn on_stack(&self, f: impl FnOnce()) {
        if !self.deep {
            return f();
        }
        if let Err(why) = stacks::on_large(f) {
            let name = &self.function.name;
            raise(Error::out_of_memory(format!("{name}: no stack for its arrays ({why})")));
        }
    }

    /// Looks for the element that the function panics for, and ends the launch.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    #[cold]
    #[inline(never)]
    unsafe fn fail(&self, caught: Caught, args: &[TileArg], outs: &[*mut u8], n: usize) -> ! {
        end_streams();
        let caught = match caught.payload.downcast::<Error>() {
            Ok(error) => raise(*error),
            Err(payload) => Caught { payload, place: caught.place },
        };
        let function = &self.function;
        let each = if self.pairs { 2 } else { 1 };
        for k in 0..n {
            let moved = |(arg, dtype): (&TileArg, &DType)| {
                let by = if arg.vector { each * k * dtype.size() } else { 0 };
                TileArg { ptr: arg.ptr.wrapping_add(by), ..*arg }
            };
            let one: SmallVec<[TileArg; 8]> = args.iter().zip(&function.args).map(moved).collect();
            // SAFETY: the tile has an element `k`, and the results have room for one.
            let run = || self.on_stack(|| unsafe { (self.tile)(&one, outs, 1) });
            let Err(mut caught) = catch(run) else { continue };
            if caught.place.is_none() {
                caught = catch_again(run).err().unwrap_or(caught);
            }
            // SAFETY: as above.
            let values = unsafe { self.values(&one) };
            raise(Error::panic(&function.name, format!("{}, for {values}", caught.text())));
        }
        raise(Error::panic(&function.name, caught.text()))
    }

    /// The arguments of a call for one result.
    ///
    /// # Safety
    /// Each argument points to an element of its type, or to two where neighbours are combined.
    unsafe fn values(&self, args: &[TileArg]) -> String {
        let value = |ptr: *const u8, dtype: DType| {
            // SAFETY: the caller says so.
            let value = with_dtype!(dtype, T => Scalar::new(unsafe { ptr.cast::<T>().read() }));
            format!("{value:?}")
        };
        let places = args.iter().zip(&self.function.args);
        let mut values: Vec<String> = places.clone().map(|(a, &d)| value(a.ptr, d)).collect();
        if self.pairs {
            let second = |(a, &d): (&TileArg, &DType)| {
                value(a.ptr.wrapping_add(if a.vector { d.size() } else { 0 }), d)
            };
            values.extend(places.map(second));
        }
        format!("({})", values.join(", "))
    }
}
