//! Linear systems that do not change in time, continuous and discrete.
//!
//! A system is a [`StateSpace`]: its matrices are small and the host's, as are those of other forms
//! and of discrete versions of it. Responses are arrays on the device. Those over time walk along it;
//! inputs of a batch are walked side by side.

mod discretize;
mod forms;
mod frequency;
mod host;
mod state_space;
mod time;
mod unit;

pub use discretize::{Discretization, cont2discrete};
pub use forms::{ss2tf, ss2zpk, tf2ss, zpk2ss};
pub use frequency::{
    bode, bode_at, dbode, dbode_at, dfreqresp, dfreqresp_at, freqresp, freqresp_at, try_bode_at,
    try_dbode_at, try_dfreqresp_at, try_freqresp_at,
};
pub use state_space::StateSpace;
pub use time::{Hold, TimeResponse, dlsim, lsim, try_dlsim, try_lsim};
pub use unit::{dimpulse, dstep, impulse, step};
