// The elementwise operations of integers, bool, f32 and f64. The templates are the integers';
// overloads for the floating-point types stand beside them and win.

// ---- Arithmetic: integers wrap, and division by zero gives 0 ----

#define LZ_WRAPPING(name, op)                                                                    \
    template <class T> LZ_FN T name(T a, T b) { return T(lz_wrap_t<T>(a) op lz_wrap_t<T>(b)); }  \
    LZ_FN float name(float a, float b) { return a op b; }                                        \
    LZ_FN double name(double a, double b) { return a op b; }
LZ_WRAPPING(lz_add, +)
LZ_WRAPPING(lz_subtract, -)
LZ_WRAPPING(lz_multiply, *)

template <class T> LZ_FN T lz_negative(T a) { return T(lz_wrap_t<T>(0) - lz_wrap_t<T>(a)); }
LZ_FN float lz_negative(float a) { return -a; }
LZ_FN double lz_negative(double a) { return -a; }

template <class T> LZ_FN T lz_divide(T a, T b) {
    if (b == T(0)) return T(0);
    if (lz_is_signed<T> && b == T(-1)) return lz_negative(a);
    return T(a / b);
}
// Approximations where they are asked for, spelled out: compilers differ in what they make of flags.
#ifdef LZ_FAST
LZ_FN float lz_divide(float a, float b) {
    float q;
    asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(b));
    return q;
}
LZ_FN float lz_reciprocal(float a) {
    float q;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(q) : "f"(a));
    return q;
}
LZ_FN float lz_root(float a) {
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
#else
LZ_FN float lz_divide(float a, float b) { return a / b; }
LZ_FN float lz_reciprocal(float a) { return 1.0f / a; }
LZ_FN float lz_root(float a) { return sqrtf(a); }
#endif
LZ_FN double lz_divide(double a, double b) { return a / b; }

template <class T> LZ_FN T lz_fmod(T a, T b) {
    if (b == T(0) || (lz_is_signed<T> && b == T(-1))) return T(0);
    return T(a % b);
}

template <class T> LZ_FN T lz_floor_divide(T a, T b) {
    T q = lz_divide(a, b);
    return lz_is_signed<T> && b != T(0) && lz_fmod(a, b) != T(0) && (a < T(0)) != (b < T(0)) ? T(q - 1) : q;
}
template <class T> LZ_FN T lz_remainder(T a, T b) {
    T r = lz_fmod(a, b);
    return lz_is_signed<T> && r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;
}
template <class T> LZ_FN T lz_div_euclid(T a, T b) {
    T q = lz_divide(a, b);
    return lz_is_signed<T> && lz_fmod(a, b) < T(0) ? (b > T(0) ? T(q - 1) : T(q + 1)) : q;
}
template <class T> LZ_FN T lz_rem_euclid(T a, T b) {
    T r = lz_fmod(a, b);
    if (!lz_is_signed<T> || r >= T(0)) return r;
    return T(b < T(0) ? lz_wrap_t<T>(r) - lz_wrap_t<T>(b) : lz_wrap_t<T>(r) + lz_wrap_t<T>(b));
}

// A negative exponent gives what is left of 1/a^n as an integer.
template <class T> LZ_FN T lz_power(T a, T n) {
    if (lz_is_signed<T> && n < T(0))
        return a == T(1) ? T(1) : a == T(-1) ? ((n & 1) ? T(-1) : T(1)) : T(0);
    lz_wrap_t<T> result = 1, base = lz_wrap_t<T>(a);
    for (lz_unsigned_t<T> k = lz_unsigned_t<T>(n); k != 0; k >>= 1) {
        if (k & 1) result *= base;
        base *= base;
    }
    return T(result);
}
LZ_FN float lz_power(float a, float b) { return powf(a, b); }
LZ_FN double lz_power(double a, double b) { return pow(a, b); }

template <class T> LZ_FN T lz_abs(T a) { return a < T(0) ? lz_negative(a) : a; }
LZ_FN float lz_abs(float a) { return fabsf(a); }
LZ_FN double lz_abs(double a) { return fabs(a); }

// Of a float, NaN and the sign of NaN stay; both zeros give 0.
template <class T> LZ_FN T lz_sign(T a) {
    return a > T(0) ? T(1) : a < T(0) ? T(-1) : a == T(0) ? T(0) : a;
}
template <class T> LZ_FN T lz_square(T a) { return lz_multiply(a, a); }

template <class T> LZ_FN T lz_reciprocal(T a) { return lz_divide(T(1), a); }
LZ_FN double lz_reciprocal(double a) { return 1.0 / a; }

template <class T> LZ_FN T lz_mul_add(T a, T b, T c) {
    return T(lz_wrap_t<T>(a) * lz_wrap_t<T>(b) + lz_wrap_t<T>(c));
}
LZ_FN float lz_mul_add(float a, float b, float c) { return fmaf(a, b, c); }
LZ_FN double lz_mul_add(double a, double b, double c) { return fma(a, b, c); }

// ---- Roots, exponentials, trigonometry, rounding: CUDA's own functions ----

#define LZ_MATH_1(name, single, twice)                                                           \
    LZ_FN float name(float x) { return single(x); }                                              \
    LZ_FN double name(double x) { return twice(x); }
LZ_MATH_1(lz_sqrt, lz_root, sqrt)
LZ_MATH_1(lz_cbrt, cbrtf, cbrt)
LZ_MATH_1(lz_exp2, exp2f, exp2)
LZ_MATH_1(lz_exp10, exp10f, exp10)
LZ_MATH_1(lz_exp_m1, expm1f, expm1)
LZ_MATH_1(lz_ln, logf, log)
LZ_MATH_1(lz_log2, log2f, log2)
LZ_MATH_1(lz_log10, log10f, log10)
LZ_MATH_1(lz_ln_1p, log1pf, log1p)
LZ_MATH_1(lz_sin, sinf, sin)
LZ_MATH_1(lz_cos, cosf, cos)
LZ_MATH_1(lz_tan, tanf, tan)
LZ_MATH_1(lz_asin, asinf, asin)
LZ_MATH_1(lz_acos, acosf, acos)
LZ_MATH_1(lz_atan, atanf, atan)
LZ_MATH_1(lz_sinh, sinhf, sinh)
LZ_MATH_1(lz_cosh, coshf, cosh)
LZ_MATH_1(lz_tanh, tanhf, tanh)
LZ_MATH_1(lz_asinh, asinhf, asinh)
LZ_MATH_1(lz_acosh, acoshf, acosh)
LZ_MATH_1(lz_atanh, atanhf, atanh)
LZ_MATH_1(lz_floor, floorf, floor)
LZ_MATH_1(lz_ceil, ceilf, ceil)
LZ_MATH_1(lz_trunc, truncf, trunc)
LZ_MATH_1(lz_rint, rintf, rint)
LZ_MATH_1(lz_round, roundf, round)

// exp(r) = 1 + r + r²·q(r) for |r| <= ln(2)/2: q in descending powers, a Chebyshev fit whose error
// is below 2^-55; then 1/ln(2), and -ln(2) in two parts. A double in constant memory takes one
// instruction where it stands in the code as two, of which a kernel of exponentials has dozens.
static __constant__ double lz_exp_constants[13] = {
    2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06, 2.4801521295954376e-05,
    0.00019841269863053618, 0.0013888888917213717, 0.008333333333330062, 0.04166666666662413,
    0.16666666666666669, 0.5000000000000001,
    1.4426950408889634, -0.6931471805599453, -2.3190468138462996e-17};
LZ_FN float lz_exp(float x) { return expf(x); }
// By the reduction of Cody and Waite (Software Manual for the Elementary Functions, 1980).
LZ_FN double lz_exp(double x) {
    const double* c = lz_exp_constants;
    // Adding 1.5·2^52 rounds to an integer and leaves it in the lower bits.
    const double round = 6755399441055744.0;
    const double shifted = fma(x, c[10], round), n = shifted - round;
    const int power = (int)__double_as_longlong(shifted);
    const double r = fma(n, c[12], fma(n, c[11], x));
    double q = c[0];
    for (int k = 1; k < 10; ++k) q = fma(q, r, c[k]);
    const double p = fma(fma(q, r, 1.0), r, 1.0);
    double y = __longlong_as_double(__double_as_longlong(p) + ((long long)power << 52));
    // The upper words of doubles compare as floats do: here |x| >= 708.39, where 2^power or the
    // result is no normal number, or x is no number.
    const float size = fabsf(__int_as_float((int)(__double_as_longlong(x) >> 32)));
    if (!(size < __int_as_float(0x4086232a))) {
        const int half = power >> 1;
        y = __longlong_as_double(__double_as_longlong(p) + ((long long)half << 52))
            * __longlong_as_double((long long)(power - half + 1023) << 52);
        // Beyond 746 it is 0 or infinite, or x itself is infinite or no number.
        if (!(size < __int_as_float(0x40875000))) y = x < 0.0 ? 0.0 : x + lz_infinity<double>();
    }
    return y;
}

#define LZ_MATH_2(name, single, twice)                                                           \
    LZ_FN float name(float a, float b) { return single(a, b); }                                  \
    LZ_FN double name(double a, double b) { return twice(a, b); }
LZ_MATH_2(lz_atan2, atan2f, atan2)
LZ_MATH_2(lz_hypot, hypotf, hypot)
LZ_MATH_2(lz_copysign, copysignf, copysign)
LZ_MATH_2(lz_nextafter, nextafterf, nextafter)

LZ_FN float lz_ldexp(float x, int n) { return ldexpf(x, n); }
LZ_FN double lz_ldexp(double x, int n) { return ldexp(x, n); }

LZ_FN float lz_frexp_mantissa(float x) {
    int n;
    return x - x == 0.0f ? frexpf(x, &n) : x;
}
LZ_FN double lz_frexp_mantissa(double x) {
    int n;
    return x - x == 0.0 ? frexp(x, &n) : x;
}
// C leaves the exponent of what is not finite open.
LZ_FN int lz_frexp_exponent(float x) {
    int n = 0;
    if (x - x == 0.0f) frexpf(x, &n);
    return n;
}
LZ_FN int lz_frexp_exponent(double x) {
    int n = 0;
    if (x - x == 0.0) frexp(x, &n);
    return n;
}

// ---- Remainders of floats ----

LZ_FN float lz_c_fmod(float a, float b) { return fmodf(a, b); }
LZ_FN double lz_c_fmod(double a, double b) { return fmod(a, b); }
template <class F> constexpr F lz_fraction_limit = F(1 << 23);
template <> constexpr double lz_fraction_limit<double> = double(1ll << 52);

// C's fmod. While the quotient is below the limit it is at most one too large, and the fused
// remainder is exact; the library's loop is for the rest.
template <class F> LZ_FN F lz_fmod_of(F a, F b) {
    F x = lz_abs(a), y = lz_abs(b);
    F q = x / y;
    if (!(q < lz_fraction_limit<F>) || !(y < lz_infinity<F>())) return lz_c_fmod(a, b);
    q = lz_trunc(q);
    F r = lz_mul_add(-q, y, x);
    r = r < F(0) ? r + y : r;
    return lz_copysign(r, a);
}
LZ_FN float lz_fmod(float a, float b) { return lz_fmod_of(a, b); }
LZ_FN double lz_fmod(double a, double b) { return lz_fmod_of(a, b); }

// NumPy's divmod: the remainder has the sign of the divisor.
template <class F> LZ_FN F lz_remainder_of(F a, F b) {
    F r = lz_fmod(a, b);
    if (r == F(0)) return lz_copysign(F(0), b);
    return (r < F(0)) != (b < F(0)) ? r + b : r;
}
template <class F> LZ_FN F lz_floor_divide_of(F a, F b) {
    if (b == F(0)) return a / b;
    F r = lz_fmod(a, b);
    F q = (a - r) / b;
    if (r != F(0) && (r < F(0)) != (b < F(0))) q -= F(1);
    if (q == F(0)) return lz_copysign(F(0), a / b);
    F down = lz_floor(q);
    return q - down > F(0.5) ? down + F(1) : down;
}
template <class F> LZ_FN F lz_div_euclid_of(F a, F b) {
    F q = lz_trunc(a / b);
    return lz_fmod(a, b) < F(0) ? (b > F(0) ? q - F(1) : q + F(1)) : q;
}
template <class F> LZ_FN F lz_rem_euclid_of(F a, F b) {
    F r = lz_fmod(a, b);
    return r < F(0) ? r + lz_abs(b) : r;
}
#define LZ_OF_2(name)                                                                            \
    LZ_FN float name(float a, float b) { return name##_of(a, b); }                               \
    LZ_FN double name(double a, double b) { return name##_of(a, b); }
LZ_OF_2(lz_remainder)
LZ_OF_2(lz_floor_divide)
LZ_OF_2(lz_div_euclid)
LZ_OF_2(lz_rem_euclid)

// ---- Functions composed of those ----

template <class F> LZ_FN F lz_logaddexp_of(F a, F b) {
    if (a == b) return a + F(0.693147180559945309417232121458176568);
    F top = a > b ? a : b;
    return top + lz_ln_1p(lz_exp(-lz_abs(a - b)));
}
template <class F> LZ_FN F lz_logaddexp2_of(F a, F b) {
    if (a == b) return a + F(1);
    F top = a > b ? a : b;
    return top + lz_ln_1p(lz_exp2(-lz_abs(a - b))) * F(1.442695040888963407359924681001892137);
}
template <class F> LZ_FN F lz_heaviside_of(F a, F b) {
    return a != a ? a : a == F(0) ? b : a < F(0) ? F(0) : F(1);
}
LZ_OF_2(lz_logaddexp)
LZ_OF_2(lz_logaddexp2)
LZ_OF_2(lz_heaviside)

LZ_FN float lz_degrees(float x) { return x * 57.2957795130823208767981548141051703f; }
LZ_FN double lz_degrees(double x) { return x * 57.2957795130823208767981548141051703; }
LZ_FN float lz_radians(float x) { return x * 0.0174532925199432957692369076848861271f; }
LZ_FN double lz_radians(double x) { return x * 0.0174532925199432957692369076848861271; }
LZ_FN float lz_sinc(float x) {
    return x == 0.0f ? 1.0f : sinpif(x) / (x * 3.14159265358979323846264338327950288f);
}
LZ_FN double lz_sinc(double x) {
    return x == 0.0 ? 1.0 : sinpi(x) / (x * 3.14159265358979323846264338327950288);
}

// ---- Order. A comparison with itself is false of NaN only ----

template <class T> LZ_FN T lz_minimum(T a, T b) { return a < b || a != a ? a : b; }
template <class T> LZ_FN T lz_maximum(T a, T b) { return a > b || a != a ? a : b; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// One instruction each.
LZ_FN float lz_minimum(float a, float b) {
    float x;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
    return x;
}
LZ_FN float lz_maximum(float a, float b) {
    float x;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));
    return x;
}
#endif
template <class T> LZ_FN T lz_fmin(T a, T b) { return a < b || b != b ? a : b; }
template <class T> LZ_FN T lz_fmax(T a, T b) { return a > b || b != b ? a : b; }
template <class T> LZ_FN T lz_clip(T a, T low, T high) { return lz_minimum(lz_maximum(a, low), high); }

// ---- Classification ----

template <class F> LZ_FN bool lz_is_nan(F x) { return x != x; }
template <class F> LZ_FN bool lz_is_inf(F x) { return lz_abs(x) == lz_infinity<F>(); }
template <class F> LZ_FN bool lz_is_finite(F x) { return lz_abs(x) < lz_infinity<F>(); }
template <class F> LZ_FN bool lz_is_pos_inf(F x) { return x == lz_infinity<F>(); }
template <class F> LZ_FN bool lz_is_neg_inf(F x) { return x == -lz_infinity<F>(); }
LZ_FN bool lz_signbit(float x) { return lz_bitcast<lz_u32>(x) >> 31; }
LZ_FN bool lz_signbit(double x) { return lz_bitcast<lz_u64>(x) >> 63; }

// ---- Real numbers where complex ones are allowed ----

template <class F> LZ_FN F lz_conj(F x) { return x; }
template <class F> LZ_FN F lz_real(F x) { return x; }
template <class F> LZ_FN F lz_imag(F) { return F(0); }
template <class F> LZ_FN F lz_angle(F x) { return lz_atan2(F(0), x); }
template <class F> LZ_FN lz_complex<F> lz_to_complex(F re, F im) { return lz_complex<F>{re, im}; }

// ---- Logic and bits ----

template <class T> LZ_FN bool lz_logical_and(T a, T b) { return lz_cast<bool>(a) && lz_cast<bool>(b); }
template <class T> LZ_FN bool lz_logical_or(T a, T b) { return lz_cast<bool>(a) || lz_cast<bool>(b); }
template <class T> LZ_FN bool lz_logical_xor(T a, T b) { return lz_cast<bool>(a) != lz_cast<bool>(b); }
template <class T> LZ_FN bool lz_logical_not(T a) { return !lz_cast<bool>(a); }
template <class T> LZ_FN T lz_bitwise_and(T a, T b) { return T(a & b); }
template <class T> LZ_FN T lz_bitwise_or(T a, T b) { return T(a | b); }
template <class T> LZ_FN T lz_bitwise_xor(T a, T b) { return T(a ^ b); }
template <class T> LZ_FN T lz_bitwise_not(T a) { return T(~a); }
LZ_FN bool lz_bitwise_not(bool a) { return !a; }

// A count of the width or more shifts everything out, and so does a negative one.
template <class T> LZ_FN T lz_left_shift(T a, T n) {
    return lz_unsigned_t<T>(n) < 8 * sizeof(T) ? T(lz_wrap_t<T>(a) << lz_unsigned_t<T>(n)) : T(0);
}
template <class T> LZ_FN T lz_right_shift(T a, T n) {
    if (lz_unsigned_t<T>(n) < 8 * sizeof(T)) return T(a >> n);
    return a < T(0) ? T(-1) : T(0);
}
template <class T> LZ_FN lz_u8 lz_bitwise_count(T a) {
    return lz_u8(__popcll(lz_u64(lz_unsigned_t<T>(lz_abs(a)))));
}
template <class T> LZ_FN T lz_gcd(T a, T b) {
    typedef lz_unsigned_t<T> U;
    U x = U(lz_abs(a)), y = U(lz_abs(b));
    while (y != 0) {
        U r = U(x % y);
        x = y;
        y = r;
    }
    return T(x);
}
// The product of the magnitudes wraps, as in NumPy, also to a negative number.
template <class T> LZ_FN T lz_lcm(T a, T b) {
    typedef lz_unsigned_t<T> U;
    U g = U(lz_gcd(a, b));
    return g == 0 ? T(0) : T(lz_wrap_t<T>(U(U(lz_abs(a)) / g)) * lz_wrap_t<T>(U(lz_abs(b))));
}
