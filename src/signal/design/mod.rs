//! Filters designed on the host, in `f64`.

mod analog;
mod analog_response;
mod comb;
mod fir;
mod fractions;
mod gammatone;
mod iir;
mod kaiser;
mod least_squares;
mod order;
mod prototypes;
mod response;
mod roots;
mod sampled;
mod substitutions;
mod zpk;

pub(super) use analog_response::interesting;
pub use analog_response::{
    findfreqs, freqs, freqs_at, freqs_zpk, freqs_zpk_at, freqz_zpk, freqz_zpk_at, group_delay,
    group_delay_at,
};
pub use comb::{AtZero, Comb, iircomb, iirnotch, iirpeak};
pub use fir::firwin;
pub use fractions::{Of, invres, invresz, residue, residuez, unique_roots};
pub use gammatone::{Gammatone, gammatone};
pub use iir::{Band, Family, butter, cheby1, cheby2, ellip, iirdesign, iirfilter};
pub use kaiser::{kaiser_atten, kaiser_beta, kaiserord};
pub use least_squares::{Desired, firls};
pub use order::{buttord, cheb1ord, cheb2ord, ellipord};
pub use prototypes::{
    bilinear_zpk, buttap, cheb1ap, cheb2ap, ellipap, lp2bp_zpk, lp2bs_zpk, lp2hp_zpk, lp2lp_zpk,
};
pub(super) use response::frequencies;
pub(super) use zpk::polynomial;

pub use response::{freqz, freqz_at, sosfreqz, sosfreqz_at};
pub use sampled::{Kept, Taps, firwin2, minimum_phase};
pub use substitutions::{bilinear, lp2bp, lp2bs, lp2hp, lp2lp, normalize};
pub use zpk::{Zpk, sos2tf, tf2zpk};
