//! A kernel made ready: straight lists of steps over tiles, and the loops around them.
//!
//! Programs are data, with the functions of their steps. What makes them of kernels and what runs
//! them both look here, and nothing here looks at either.

mod mem;
mod prepared;
mod step;
mod text;

pub use mem::{Mem, round_up};
pub use prepared::{
    Acc, Kept, LEVELS, Prepared, Program, Row, RowValue, SCAN_SWEEP, ScanFn, ScanPart, ScanState,
    Sweep, UserScan,
};
pub use step::{
    Ahead, Call, CallArg, CallResult, Chain, Choice, DrawFn, Pair, Serial, SerialFold, StatePart,
    States, Step, TURNS, Target, UserSerial, Whole,
};
