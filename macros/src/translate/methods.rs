//! The methods that have a device version: one table.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// The twin's parameter that notes a value which the fast mathematics cannot give.
pub fn rare() -> Ident {
    Ident::new("lz_rare", Span::mixed_site())
}

/// A method of numbers.
pub struct Method {
    name: &'static str,
    /// The arguments beside the receiver.
    pub arguments: usize,
    /// The C++ function; the receiver is its first argument.
    pub cpp: &'static str,
    /// Whether the twin takes Lazuli's own function, because the standard library's would keep
    /// the loop from vectorising.
    pub routed: bool,
    /// What it costs, in additions.
    pub cost: f64,
}

impl Method {
    /// The call in the twin, where it differs from the user's.
    pub fn twin(
        &self,
        name: &str,
        receiver: &TokenStream,
        rest: &TokenStream,
        span: Span,
    ) -> Option<TokenStream> {
        let routed = Ident::new(&format!("lz_{name}"), span);
        let rare = rare();
        let comma = (!rest.is_empty()).then(|| quote!(,));
        self.routed.then(|| {
            quote_spanned!(span=> ::lazuli::__private::Twin::#routed(#receiver, #rest #comma #rare))
        })
    }
}

/// The method of a name.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

/// Whether a method calls a C++ function.
#[cfg(test)]
pub fn calls_cpp(name: &str) -> bool {
    METHODS.iter().any(|method| method.cpp == name)
}

macro_rules! methods {
    ($($name:ident $arguments:literal $cpp:ident $route:ident $cost:literal;)*) => {
        const METHODS: &[Method] = &[$(Method {
            name: stringify!($name),
            arguments: $arguments,
            cpp: stringify!($cpp),
            routed: methods!(@$route),
            cost: $cost as f64,
        }),*];
    };
    (@routed) => { true };
    (@own) => { false };
}

// Name, arguments beside the receiver, C++ function, whose function the twin takes, cost.
methods! {
    // Exponentials, logarithms, powers, roots: floating-point and complex numbers.
    exp 0 lz_exp routed 20;
    exp2 0 lz_exp2 routed 20;
    exp10 0 lz_exp10 routed 20;
    exp_m1 0 lz_exp_m1 routed 20;
    ln 0 lz_ln routed 20;
    ln_1p 0 lz_ln_1p routed 20;
    log2 0 lz_log2 routed 20;
    log10 0 lz_log10 routed 20;
    log 1 lz_rust_log routed 40;
    powf 1 lz_power routed 40;
    powc 1 lz_power routed 80;
    powi 1 lz_rust_powi routed 8;
    pow 1 lz_rust_pow own 20;
    sqrt 0 lz_sqrt routed 4;
    cbrt 0 lz_cbrt routed 20;
    hypot 1 lz_hypot routed 20;
    logaddexp 1 lz_logaddexp routed 40;
    logaddexp2 1 lz_logaddexp2 routed 40;
    // Trigonometry.
    sin 0 lz_sin routed 20;
    cos 0 lz_cos routed 20;
    tan 0 lz_tan routed 20;
    sin_cos 0 lz_rust_sin_cos routed 40;
    asin 0 lz_asin routed 20;
    acos 0 lz_acos routed 20;
    atan 0 lz_atan routed 20;
    atan2 1 lz_atan2 routed 20;
    sinh 0 lz_sinh routed 20;
    cosh 0 lz_cosh routed 20;
    tanh 0 lz_tanh routed 20;
    asinh 0 lz_asinh routed 20;
    acosh 0 lz_acosh routed 20;
    atanh 0 lz_atanh routed 20;
    to_degrees 0 lz_degrees own 1;
    to_radians 0 lz_radians own 1;
    sinc 0 lz_sinc routed 20;
    // Special functions, of `lazuli::device::Float`.
    erf 0 lz_erf routed 20;
    erfc 0 lz_erfc routed 20;
    erfinv 0 lz_erfinv routed 20;
    erfcinv 0 lz_erfcinv routed 20;
    gamma 0 lz_gamma routed 20;
    lgamma 0 lz_lgamma routed 20;
    bessel_j0 0 lz_bessel_j0 routed 20;
    bessel_j1 0 lz_bessel_j1 routed 20;
    bessel_y0 0 lz_bessel_y0 routed 20;
    bessel_y1 0 lz_bessel_y1 routed 20;
    bessel_i0 0 lz_bessel_i0 routed 20;
    bessel_i1 0 lz_bessel_i1 routed 20;
    // Rounding and parts of floats.
    floor 0 lz_floor own 1;
    ceil 0 lz_ceil own 1;
    trunc 0 lz_trunc own 1;
    round 0 lz_round routed 1;
    round_ties_even 0 lz_rint own 1;
    fract 0 lz_rust_fract own 2;
    copysign 1 lz_copysign own 1;
    signum 0 lz_rust_signum own 1;
    recip 0 lz_reciprocal own 5;
    mul_add 2 lz_mul_add own 1;
    ldexp 1 lz_ldexp own 4;
    frexp 0 lz_rust_frexp own 6;
    modf 0 lz_rust_modf own 4;
    to_bits 0 lz_rust_to_bits own 1;
    to_f32 0 lz_rust_to_f32 own 1;
    to_f64 0 lz_rust_to_f64 own 1;
    is_nan 0 lz_is_nan own 1;
    is_infinite 0 lz_is_inf own 1;
    is_finite 0 lz_is_finite own 1;
    is_sign_negative 0 lz_signbit own 1;
    is_sign_positive 0 lz_rust_is_sign_positive own 1;
    // Numbers with an order.
    abs 0 lz_abs own 1;
    min 1 lz_fmin own 1;
    max 1 lz_fmax own 1;
    clamp 2 lz_rust_clamp own 2;
    rem_euclid 1 lz_rem_euclid own 8;
    div_euclid 1 lz_div_euclid own 8;
    // Integers.
    wrapping_add 1 lz_add own 1;
    wrapping_sub 1 lz_subtract own 1;
    wrapping_mul 1 lz_multiply own 1;
    wrapping_div 1 lz_divide own 5;
    wrapping_rem 1 lz_fmod own 5;
    wrapping_neg 0 lz_negative own 1;
    wrapping_abs 0 lz_abs own 1;
    wrapping_shl 1 lz_rust_shl own 1;
    wrapping_shr 1 lz_rust_shr own 1;
    wrapping_pow 1 lz_rust_pow own 20;
    saturating_add 1 lz_rust_saturating_add own 3;
    saturating_sub 1 lz_rust_saturating_sub own 3;
    saturating_mul 1 lz_rust_saturating_mul own 12;
    div_ceil 1 lz_rust_div_ceil own 8;
    is_multiple_of 1 lz_rust_is_multiple_of own 8;
    isqrt 0 lz_rust_isqrt own 20;
    ilog2 0 lz_rust_ilog2 own 2;
    next_power_of_two 0 lz_rust_next_power_of_two own 3;
    abs_diff 1 lz_rust_abs_diff own 2;
    unsigned_abs 0 lz_rust_unsigned_abs own 1;
    is_positive 0 lz_rust_is_positive own 1;
    is_negative 0 lz_rust_is_negative own 1;
    is_power_of_two 0 lz_rust_is_power_of_two own 2;
    count_ones 0 lz_rust_count_ones own 1;
    count_zeros 0 lz_rust_count_zeros own 1;
    leading_zeros 0 lz_rust_leading_zeros own 1;
    leading_ones 0 lz_rust_leading_ones own 1;
    trailing_zeros 0 lz_rust_trailing_zeros own 1;
    trailing_ones 0 lz_rust_trailing_ones own 1;
    rotate_left 1 lz_rust_rotate_left own 2;
    rotate_right 1 lz_rust_rotate_right own 2;
    swap_bytes 0 lz_rust_swap_bytes own 2;
    reverse_bits 0 lz_rust_reverse_bits own 2;
    // Complex numbers.
    norm 0 lz_abs routed 20;
    norm_sqr 0 lz_rust_norm_sqr own 3;
    l1_norm 0 lz_rust_l1_norm own 2;
    arg 0 lz_angle routed 20;
    conj 0 lz_conj own 1;
    inv 0 lz_reciprocal own 10;
    scale 1 lz_multiply own 2;
    unscale 1 lz_divide own 10;
    to_polar 0 lz_rust_to_polar routed 40;
}
