//! An example of each operation of the table, for its documentation.
//!
//! An operation without lines here does not compile. The values are NumPy's and SciPy's.

#[rustfmt::skip] // What an example says stands together.
macro_rules! example_code {
    (add) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.add(&[10.0, 20.0][..]).to_vec()?, [11.0, 22.0]);" };
    (subtract) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.subtract(0.5).to_vec()?, [0.5, 1.5]);" };
    (multiply) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.multiply(-3.0).to_vec()?, [-3.0, -6.0]);" };
    (divide) => { "let a = DeviceArray::from_slice(&[7, -7])?;\n\
        assert_eq!(a.divide(2).to_vec()?, [3, -3]);" };
    (fmod) => { "let a = DeviceArray::from_slice(&[7, -7])?;\n\
        assert_eq!(a.fmod(3).to_vec()?, [1, -1]);" };
    (floor_divide) => { "let a = DeviceArray::from_slice(&[7, -7])?;\n\
        assert_eq!(a.floor_divide(2).to_vec()?, [3, -4]);" };
    (remainder) => { "let a = DeviceArray::from_slice(&[7, -7])?;\n\
        assert_eq!(a.remainder(3).to_vec()?, [1, 2]);" };
    (div_euclid) => { "let a = DeviceArray::from_slice(&[7, -7])?;\n\
        assert_eq!(a.div_euclid(-2).to_vec()?, [-3, 4]);" };
    (rem_euclid) => { "let a = DeviceArray::from_slice(&[7, -7])?;\n\
        assert_eq!(a.rem_euclid(-2).to_vec()?, [1, 1]);" };
    (power) => { "let a = DeviceArray::from_slice(&[2.0, 3.0])?;\n\
        assert_eq!(a.power(3.0).to_vec()?, [8.0, 27.0]);" };
    (negative) => { "let a = DeviceArray::from_slice(&[1.0, -2.0])?;\n\
        assert_eq!(a.negative().to_vec()?, [-1.0, 2.0]);" };
    (abs) => { "let a = DeviceArray::from_slice(&[1.0, -2.0])?;\n\
        assert_eq!(a.abs().to_vec()?, [1.0, 2.0]);" };
    (sign) => { "let a = DeviceArray::from_slice(&[-3.0, 0.0])?;\n\
        assert_eq!(a.sign().to_vec()?, [-1.0, 0.0]);" };
    (square) => { "let a = DeviceArray::from_slice(&[3.0, -4.0])?;\n\
        assert_eq!(a.square().to_vec()?, [9.0, 16.0]);" };
    (reciprocal) => { "let a = DeviceArray::from_slice(&[2.0, -4.0])?;\n\
        assert_eq!(a.reciprocal().to_vec()?, [0.5, -0.25]);" };
    (mul_add) => { "let a = DeviceArray::from_slice(&[2.0, 3.0])?;\n\
        assert_eq!(a.mul_add(10.0, 1.0).to_vec()?, [21.0, 31.0]);" };
    (sqrt) => { "let a = DeviceArray::from_slice(&[4.0, 6.25])?;\n\
        assert_eq!(a.sqrt().to_vec()?, [2.0, 2.5]);" };
    (exp) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.exp().to_vec()?;\n\
        assert!((b[0] / 1.6487212707001282 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 7.38905609893065 - 1.0).abs() < 1e-14);" };
    (ln) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.ln().to_vec()?;\n\
        assert!((b[0] / -0.6931471805599453 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.6931471805599453 - 1.0).abs() < 1e-14);" };
    (log2) => { "let a = DeviceArray::from_slice(&[0.5, 10.0])?;\n\
        let b = a.log2().to_vec()?;\n\
        assert!((b[0] / -1.0 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 3.321928094887362 - 1.0).abs() < 1e-14);" };
    (log10) => { "let a = DeviceArray::from_slice(&[2.0, 1000.0])?;\n\
        let b = a.log10().to_vec()?;\n\
        assert!((b[0] / 0.3010299956639812 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 3.0 - 1.0).abs() < 1e-14);" };
    (cbrt) => { "let a = DeviceArray::from_slice(&[8.0, -27.0])?;\n\
        let b = a.cbrt().to_vec()?;\n\
        assert!((b[0] / 2.0 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -3.0 - 1.0).abs() < 1e-14);" };
    (exp2) => { "let a = DeviceArray::from_slice(&[0.5, 10.0])?;\n\
        let b = a.exp2().to_vec()?;\n\
        assert!((b[0] / 1.4142135623730951 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1024.0 - 1.0).abs() < 1e-14);" };
    (exp10) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.exp10().to_vec()?;\n\
        assert!((b[0] / 3.162277660168379 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 100.0 - 1.0).abs() < 1e-14);" };
    (exp_m1) => { "let a = DeviceArray::from_slice(&[1e-10, 1.0])?;\n\
        let b = a.exp_m1().to_vec()?;\n\
        assert!((b[0] / 1.00000000005e-10 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1.7182818284590453 - 1.0).abs() < 1e-14);" };
    (ln_1p) => { "let a = DeviceArray::from_slice(&[1e-10, 1.0])?;\n\
        let b = a.ln_1p().to_vec()?;\n\
        assert!((b[0] / 9.999999999500001e-11 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.6931471805599453 - 1.0).abs() < 1e-14);" };
    (logaddexp) => { "let a = DeviceArray::from_slice(&[0.0, 1000.0])?;\n\
        let b = a.logaddexp(1000.0).to_vec()?;\n\
        assert!((b[0] / 1000.0 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1000.6931471805599 - 1.0).abs() < 1e-14);" };
    (logaddexp2) => { "let a = DeviceArray::from_slice(&[0.0, 3.0])?;\n\
        let b = a.logaddexp2(3.0).to_vec()?;\n\
        assert!((b[0] / 3.169925001442312 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 4.0 - 1.0).abs() < 1e-14);" };
    (sin) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.sin().to_vec()?;\n\
        assert!((b[0] / 0.479425538604203 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.9092974268256817 - 1.0).abs() < 1e-14);" };
    (cos) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.cos().to_vec()?;\n\
        assert!((b[0] / 0.8775825618903728 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -0.4161468365471424 - 1.0).abs() < 1e-14);" };
    (tan) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.tan().to_vec()?;\n\
        assert!((b[0] / 0.5463024898437905 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -2.185039863261519 - 1.0).abs() < 1e-14);" };
    (asin) => { "let a = DeviceArray::from_slice(&[0.5, -1.0])?;\n\
        let b = a.asin().to_vec()?;\n\
        assert!((b[0] / 0.5235987755982989 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -1.5707963267948966 - 1.0).abs() < 1e-14);" };
    (acos) => { "let a = DeviceArray::from_slice(&[0.5, -1.0])?;\n\
        let b = a.acos().to_vec()?;\n\
        assert!((b[0] / 1.0471975511965976 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 3.141592653589793 - 1.0).abs() < 1e-14);" };
    (atan) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.atan().to_vec()?;\n\
        assert!((b[0] / 0.4636476090008061 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1.1071487177940904 - 1.0).abs() < 1e-14);" };
    (sinh) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.sinh().to_vec()?;\n\
        assert!((b[0] / 0.5210953054937474 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 3.6268604078470186 - 1.0).abs() < 1e-14);" };
    (cosh) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.cosh().to_vec()?;\n\
        assert!((b[0] / 1.1276259652063807 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 3.7621956910836314 - 1.0).abs() < 1e-14);" };
    (tanh) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.tanh().to_vec()?;\n\
        assert!((b[0] / 0.46211715726000974 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.9640275800758169 - 1.0).abs() < 1e-14);" };
    (asinh) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.asinh().to_vec()?;\n\
        assert!((b[0] / 0.48121182505960347 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1.4436354751788103 - 1.0).abs() < 1e-14);" };
    (acosh) => { "let a = DeviceArray::from_slice(&[1.5, 2.0])?;\n\
        let b = a.acosh().to_vec()?;\n\
        assert!((b[0] / 0.9624236501192069 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1.3169578969248168 - 1.0).abs() < 1e-14);" };
    (atanh) => { "let a = DeviceArray::from_slice(&[0.5, -0.25])?;\n\
        let b = a.atanh().to_vec()?;\n\
        assert!((b[0] / 0.5493061443340549 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -0.25541281188299536 - 1.0).abs() < 1e-14);" };
    (atan2) => { "let a = DeviceArray::from_slice(&[1.0, -1.0])?;\n\
        let b = a.atan2(-1.0).to_vec()?;\n\
        assert!((b[0] / 2.356194490192345 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -2.356194490192345 - 1.0).abs() < 1e-14);" };
    (hypot) => { "let a = DeviceArray::from_slice(&[3.0, 5.0])?;\n\
        assert_eq!(a.hypot(&[4.0, 12.0][..]).to_vec()?, [5.0, 13.0]);" };
    (degrees) => { "let a = DeviceArray::from_slice(&[1.0, 3.141592653589793])?;\n\
        let b = a.degrees().to_vec()?;\n\
        assert!((b[0] / 57.29577951308232 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 180.0 - 1.0).abs() < 1e-14);" };
    (radians) => { "let a = DeviceArray::from_slice(&[90.0, 180.0])?;\n\
        let b = a.radians().to_vec()?;\n\
        assert!((b[0] / 1.5707963267948966 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 3.141592653589793 - 1.0).abs() < 1e-14);" };
    (sinc) => { "let a = DeviceArray::from_slice(&[0.0, 0.5])?;\n\
        let b = a.sinc().to_vec()?;\n\
        assert!((b[0] / 1.0 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.6366197723675814 - 1.0).abs() < 1e-14);" };
    (erf) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.erf().to_vec()?;\n\
        assert!((b[0] / 0.5204998778130465 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.9953222650189527 - 1.0).abs() < 1e-14);" };
    (erfc) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.erfc().to_vec()?;\n\
        assert!((b[0] / 0.4795001221869535 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.004677734981047266 - 1.0).abs() < 1e-14);" };
    (erfinv) => { "let a = DeviceArray::from_slice(&[0.5, -0.25])?;\n\
        let b = a.erfinv().to_vec()?;\n\
        assert!((b[0] / 0.4769362762044699 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -0.2253120550121781 - 1.0).abs() < 1e-14);" };
    (erfcinv) => { "let a = DeviceArray::from_slice(&[0.5, 1.5])?;\n\
        let b = a.erfcinv().to_vec()?;\n\
        assert!((b[0] / 0.4769362762044699 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -0.4769362762044699 - 1.0).abs() < 1e-14);" };
    (gamma) => { "let a = DeviceArray::from_slice(&[0.5, 5.0])?;\n\
        let b = a.gamma().to_vec()?;\n\
        assert!((b[0] / 1.7724538509055159 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 24.0 - 1.0).abs() < 1e-14);" };
    (lgamma) => { "let a = DeviceArray::from_slice(&[0.5, 100.0])?;\n\
        let b = a.lgamma().to_vec()?;\n\
        assert!((b[0] / 0.5723649429247 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 359.1342053695754 - 1.0).abs() < 1e-14);" };
    (bessel_j0) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.bessel_j0().to_vec()?;\n\
        assert!((b[0] / 0.938469807240813 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.22389077914123562 - 1.0).abs() < 1e-14);" };
    (bessel_j1) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.bessel_j1().to_vec()?;\n\
        assert!((b[0] / 0.24226845767487387 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.5767248077568734 - 1.0).abs() < 1e-14);" };
    (bessel_y0) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.bessel_y0().to_vec()?;\n\
        assert!((b[0] / -0.4445187335067066 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 0.5103756726497451 - 1.0).abs() < 1e-14);" };
    (bessel_y1) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.bessel_y1().to_vec()?;\n\
        assert!((b[0] / -1.4714723926702433 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -0.10703243154093756 - 1.0).abs() < 1e-14);" };
    (bessel_i1) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.bessel_i1().to_vec()?;\n\
        assert!((b[0] / 0.25789430539089636 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 1.5906368546373295 - 1.0).abs() < 1e-14);" };
    (bessel_i0) => { "let a = DeviceArray::from_slice(&[0.5, 2.0])?;\n\
        let b = a.bessel_i0().to_vec()?;\n\
        assert!((b[0] / 1.0634833707413234 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / 2.279585302336067 - 1.0).abs() < 1e-14);" };
    (floor) => { "let a = DeviceArray::from_slice(&[1.5, -1.5])?;\n\
        assert_eq!(a.floor().to_vec()?, [1.0, -2.0]);" };
    (ceil) => { "let a = DeviceArray::from_slice(&[1.5, -1.5])?;\n\
        assert_eq!(a.ceil().to_vec()?, [2.0, -1.0]);" };
    (trunc) => { "let a = DeviceArray::from_slice(&[1.5, -1.5])?;\n\
        assert_eq!(a.trunc().to_vec()?, [1.0, -1.0]);" };
    (rint) => { "let a = DeviceArray::from_slice(&[1.5, 2.5])?;\n\
        assert_eq!(a.rint().to_vec()?, [2.0, 2.0]);" };
    (round_ties_away) => { "let a = DeviceArray::from_slice(&[1.5, 2.5])?;\n\
        assert_eq!(a.round_ties_away().to_vec()?, [2.0, 3.0]);" };
    (copysign) => { "let a = DeviceArray::from_slice(&[1.5, -2.0])?;\n\
        assert_eq!(a.copysign(-1.0).to_vec()?, [-1.5, -2.0]);" };
    (nextafter) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.nextafter(2.0).to_vec()?, [1.0000000000000002, 2.0]);" };
    (ldexp) => { "let a = DeviceArray::from_slice(&[0.5, 3.0])?;\n\
        assert_eq!(a.ldexp(4).to_vec()?, [8.0, 48.0]);" };
    (frexp_mantissa) => { "let a = DeviceArray::from_slice(&[8.0, -0.75])?;\n\
        assert_eq!(a.frexp_mantissa().to_vec()?, [0.5, -0.75]);" };
    (frexp_exponent) => { "let a = DeviceArray::from_slice(&[8.0, -0.75])?;\n\
        assert_eq!(a.frexp_exponent().to_vec()?, [4, 0]);" };
    (heaviside) => { "let a = DeviceArray::from_slice(&[-2.0, 0.0, 2.0])?;\n\
        assert_eq!(a.heaviside(0.5).to_vec()?, [0.0, 0.5, 1.0]);" };
    (minimum) => { "let a = DeviceArray::from_slice(&[1.0, 5.0])?;\n\
        assert_eq!(a.minimum(3.0).to_vec()?, [1.0, 3.0]);" };
    (maximum) => { "let a = DeviceArray::from_slice(&[1.0, 5.0])?;\n\
        assert_eq!(a.maximum(3.0).to_vec()?, [3.0, 5.0]);" };
    (fmin) => { "let a = DeviceArray::from_slice(&[f64::NAN, 5.0])?;\n\
        assert_eq!(a.fmin(3.0).to_vec()?, [3.0, 3.0]);" };
    (fmax) => { "let a = DeviceArray::from_slice(&[f64::NAN, 5.0])?;\n\
        assert_eq!(a.fmax(3.0).to_vec()?, [3.0, 5.0]);" };
    (clip) => { "let a = DeviceArray::from_slice(&[-2.0, 0.25, 2.0])?;\n\
        assert_eq!(a.clip(0.0, 1.0).to_vec()?, [0.0, 0.25, 1.0]);" };
    (equal) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.equal(2.0).to_vec()?, [false, true]);" };
    (not_equal) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.not_equal(2.0).to_vec()?, [true, false]);" };
    (less) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.less(2.0).to_vec()?, [true, false]);" };
    (less_equal) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.less_equal(2.0).to_vec()?, [true, true]);" };
    (greater) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.greater(2.0).to_vec()?, [false, false]);" };
    (greater_equal) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.greater_equal(2.0).to_vec()?, [false, true]);" };
    (is_nan) => { "let a = DeviceArray::from_slice(&[f64::NAN, 1.0])?;\n\
        assert_eq!(a.is_nan().to_vec()?, [true, false]);" };
    (is_inf) => { "let a = DeviceArray::from_slice(&[-f64::INFINITY, 1.0])?;\n\
        assert_eq!(a.is_inf().to_vec()?, [true, false]);" };
    (is_finite) => { "let a = DeviceArray::from_slice(&[f64::NAN, 1.0])?;\n\
        assert_eq!(a.is_finite().to_vec()?, [false, true]);" };
    (is_pos_inf) => { "let a = DeviceArray::from_slice(&[f64::INFINITY, -f64::INFINITY])?;\n\
        assert_eq!(a.is_pos_inf().to_vec()?, [true, false]);" };
    (is_neg_inf) => { "let a = DeviceArray::from_slice(&[f64::INFINITY, -f64::INFINITY])?;\n\
        assert_eq!(a.is_neg_inf().to_vec()?, [false, true]);" };
    (signbit) => { "let a = DeviceArray::from_slice(&[-0.0, 1.0])?;\n\
        assert_eq!(a.signbit().to_vec()?, [true, false]);" };
    (logical_and) => { "let a = DeviceArray::from_slice(&[1, 0])?;\n\
        assert_eq!(a.logical_and(2).to_vec()?, [true, false]);" };
    (logical_or) => { "let a = DeviceArray::from_slice(&[1, 0])?;\n\
        assert_eq!(a.logical_or(0).to_vec()?, [true, false]);" };
    (logical_xor) => { "let a = DeviceArray::from_slice(&[1, 0])?;\n\
        assert_eq!(a.logical_xor(2).to_vec()?, [false, true]);" };
    (logical_not) => { "let a = DeviceArray::from_slice(&[3, 0])?;\n\
        assert_eq!(a.logical_not().to_vec()?, [false, true]);" };
    (bitwise_and) => { "let a = DeviceArray::from_slice(&[12, 10])?;\n\
        assert_eq!(a.bitwise_and(6).to_vec()?, [4, 2]);" };
    (bitwise_or) => { "let a = DeviceArray::from_slice(&[12, 10])?;\n\
        assert_eq!(a.bitwise_or(6).to_vec()?, [14, 14]);" };
    (bitwise_xor) => { "let a = DeviceArray::from_slice(&[12, 10])?;\n\
        assert_eq!(a.bitwise_xor(6).to_vec()?, [10, 12]);" };
    (bitwise_not) => { "let a = DeviceArray::from_slice(&[0, 5])?;\n\
        assert_eq!(a.bitwise_not().to_vec()?, [-1, -6]);" };
    (left_shift) => { "let a = DeviceArray::from_slice(&[1, 5])?;\n\
        assert_eq!(a.left_shift(3).to_vec()?, [8, 40]);" };
    (right_shift) => { "let a = DeviceArray::from_slice(&[40, -16])?;\n\
        assert_eq!(a.right_shift(3).to_vec()?, [5, -2]);" };
    (bitwise_count) => { "let a = DeviceArray::from_slice(&[7, -8])?;\n\
        assert_eq!(a.bitwise_count().to_vec()?, [3, 1]);" };
    (gcd) => { "let a = DeviceArray::from_slice(&[12, 35])?;\n\
        assert_eq!(a.gcd(18).to_vec()?, [6, 1]);" };
    (lcm) => { "let a = DeviceArray::from_slice(&[4, 6])?;\n\
        assert_eq!(a.lcm(10).to_vec()?, [20, 30]);" };
    (conj) => { "let a = DeviceArray::from_slice(&[Complex::new(3.0f64, 4.0), Complex::new(0.0, -2.0)])?;\n\
        assert_eq!(a.conj().to_vec()?, [Complex::new(3.0, -4.0), Complex::new(0.0, 2.0)]);" };
    (real) => { "let a = DeviceArray::from_slice(&[Complex::new(3.0f64, 4.0), Complex::new(0.0, -2.0)])?;\n\
        assert_eq!(a.real().to_vec()?, [3.0, 0.0]);" };
    (imag) => { "let a = DeviceArray::from_slice(&[Complex::new(3.0f64, 4.0), Complex::new(0.0, -2.0)])?;\n\
        assert_eq!(a.imag().to_vec()?, [4.0, -2.0]);" };
    (angle) => { "let a = DeviceArray::from_slice(&[Complex::new(3.0f64, 4.0), Complex::new(0.0, -2.0)])?;\n\
        let b = a.angle().to_vec()?;\n\
        assert!((b[0] / 0.9272952180016122 - 1.0).abs() < 1e-14);\n\
        assert!((b[1] / -1.5707963267948966 - 1.0).abs() < 1e-14);" };
    (to_complex) => { "let a = DeviceArray::from_slice(&[1.0, 2.0])?;\n\
        assert_eq!(a.to_complex(-1.0).to_vec()?, [Complex::new(1.0, -1.0), Complex::new(2.0, -1.0)]);" };
}
pub(super) use example_code;
