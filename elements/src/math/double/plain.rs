//! The functions whose text is the same for both float types.

use super::{exp, exp2, ln_1p};
use crate::math::shared::shared_functions;

shared_functions!(f64, u64, 52, 0.49999999999999994);
