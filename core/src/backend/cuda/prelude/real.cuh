// The elementwise operations of integers, bool, f32 and f64. The templates are the integers';
// overloads for the floating-point types stand beside them and win.

// ---- Arithmetic: integers wrap, and division by zero gives 0 ----

#define LZ_WRAPPING(name, op)                                                                    \
    template <class T> LZ_FN T name(T a, T b) {                                              \
        return lz_narrow<T>(lz_wrap_t<T>(a) op lz_wrap_t<T>(b));                                 \
    }                                                                                            \
    LZ_FN float name(float a, float b) { return a op b; }                                        \
    LZ_FN double name(double a, double b) { return a op b; }
LZ_WRAPPING(lz_add, +)
LZ_WRAPPING(lz_subtract, -)
LZ_WRAPPING(lz_multiply, *)

template <class T> LZ_FN T lz_negative(T a) { return lz_narrow<T>(lz_wrap_t<T>(0) - lz_wrap_t<T>(a)); }
LZ_FN float lz_negative(float a) { return -a; }
LZ_FN double lz_negative(double a) { return -a; }

template <class T> LZ_FN T lz_divide(T a, T b) {
    if (b == T(0)) return T(0);
    if (lz_is_signed<T> && b == T(-1)) return lz_negative(a);
    return lz_narrow<T>(a / b);
}
// The device's estimates, some 20 bits: of what is subnormal as of zero.
#ifdef LZ_EMULATE
#define LZ_ESTIMATE(name, type, letter, instruction)                                             \
    LZ_FN type name(type x) { return lz_emulated_##name(x); }
#else
#define LZ_ESTIMATE(name, type, letter, instruction)                                             \
    LZ_FN type name(type x) {                                                                    \
        type r;                                                                                  \
        asm(instruction " %0, %1;" : "=" letter(r) : letter(x));                                 \
        return r;                                                                                \
    }
#endif
LZ_ESTIMATE(lz_estimate_reciprocal, float, "f", "rcp.approx.ftz.f32")
LZ_ESTIMATE(lz_estimate_reciprocal, double, "d", "rcp.approx.ftz.f64")
LZ_ESTIMATE(lz_estimate_reciprocal_root, float, "f", "rsqrt.approx.ftz.f32")
LZ_ESTIMATE(lz_estimate_reciprocal_root, double, "d", "rsqrt.approx.ftz.f64")
// Approximations where they are asked for, spelled out: compilers differ in what they make of flags.
#ifdef LZ_FAST
LZ_FN float lz_divide(float a, float b) {
    float q;
    asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(q) : "f"(a), "f"(b));
    return q;
}
LZ_FN float lz_reciprocal(float a) { return lz_estimate_reciprocal(a); }
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
    return lz_narrow<T>(a % b);
}

template <class T> LZ_FN T lz_floor_divide(T a, T b) {
    T q = lz_divide(a, b);
    return lz_is_signed<T> && b != T(0) && lz_fmod(a, b) != T(0) && (a < T(0)) != (b < T(0)) ? lz_narrow<T>(q - 1) : q;
}
template <class T> LZ_FN T lz_remainder(T a, T b) {
    T r = lz_fmod(a, b);
    return lz_is_signed<T> && r != T(0) && (r < T(0)) != (b < T(0)) ? lz_narrow<T>(r + b) : r;
}
template <class T> LZ_FN T lz_div_euclid(T a, T b) {
    T q = lz_divide(a, b);
    return lz_is_signed<T> && lz_fmod(a, b) < T(0) ? (b > T(0) ? lz_narrow<T>(q - 1) : lz_narrow<T>(q + 1)) : q;
}
template <class T> LZ_FN T lz_rem_euclid(T a, T b) {
    T r = lz_fmod(a, b);
    if (!lz_is_signed<T> || r >= T(0)) return r;
    return lz_narrow<T>(b < T(0) ? lz_wrap_t<T>(r) - lz_wrap_t<T>(b) : lz_wrap_t<T>(r) + lz_wrap_t<T>(b));
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
    return lz_narrow<T>(result);
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
    return lz_narrow<T>(lz_wrap_t<T>(a) * lz_wrap_t<T>(b) + lz_wrap_t<T>(c));
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

// The upper half of a double: the sign, the exponent and 20 bits.
LZ_FN int lz_high(double x) { return (int)(__double_as_longlong(x) >> 32); }
// A float that compares as the sizes of doubles do, as long as their upper halves differ: a
// comparison of doubles takes the time of an operation on them. NaN is NaN, infinity is NaN.
LZ_FN float lz_size(double x) { return fabsf(__int_as_float(lz_high(x))); }

// exp(r) = 1 + r + r²·q(r) for |r| <= ln(2)/2: q in descending powers, a Chebyshev fit whose error
// is below 2^-55; then 1/ln(2), and -ln(2) in two parts. A double in constant memory takes one
// instruction where it stands in the code as two, of which a kernel of exponentials has dozens.
static __constant__ double lz_exp_constants[13] = {
    2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06, 2.4801521295954376e-05,
    0.00019841269863053618, 0.0013888888917213717, 0.008333333333330062, 0.04166666666662413,
    0.16666666666666669, 0.5000000000000001,
    1.4426950408889634, -0.6931471805599453, -2.3190468138462996e-17};
// exp(x) / 2^power, by the reduction of Cody and Waite (Software Manual for the Elementary
// Functions, 1980).
LZ_FN double lz_exp_reduced(double x, int& power) {
    const double* c = lz_exp_constants;
    // Adding 1.5·2^52 rounds to an integer and leaves it in the lower bits.
    const double round = 6755399441055744.0;
    const double shifted = fma(x, c[10], round), n = shifted - round;
    power = (int)__double_as_longlong(shifted);
    const double r = fma(n, c[12], fma(n, c[11], x));
    double q = c[0];
    for (int k = 1; k < 10; ++k) q = fma(q, r, c[k]);
    return fma(fma(q, r, 1.0), r, 1.0);
}
LZ_FN double lz_exp_scaled(double p, int power) {
    return __longlong_as_double(__double_as_longlong(p) + ((long long)power << 52));
}
// Where this holds, neither 2^power nor the result of exp is anything but a normal number:
// |x| < 708.39.
LZ_FN bool lz_exp_is_usual(double x) { return lz_size(x) < __int_as_float(0x4086232a); }
LZ_FN float lz_exp(float x) { return expf(x); }
LZ_FN double lz_exp(double x) {
    int power;
    const double p = lz_exp_reduced(x, power);
    double y = lz_exp_scaled(p, power);
    if (!lz_exp_is_usual(x)) {
        const int half = power >> 1;
        y = lz_exp_scaled(p, half) * __longlong_as_double((long long)(power - half + 1023) << 52);
        // Beyond 746 it is 0 or infinite, or x itself is infinite or no number.
        if (!(lz_size(x) < __int_as_float(0x40875000))) y = x < 0.0 ? 0.0 : x + lz_infinity<double>();
    }
    return y;
}

// About 1 / b, to some 60 bits beside rounding: the step of third order after an estimate to 20.
LZ_FN double lz_near_reciprocal(double b) {
    const double r = lz_estimate_reciprocal(b);
    double e = fma(-b, r, 1.0);
    e = fma(e, e, e);
    return fma(r, e, r);
}

// log(m) = s + s·z·q(z) for s = 2(m - 1) / (m + 1), z = s², and m from sqrt(1/2) to sqrt(2): q in
// descending powers, a Chebyshev fit with an error below 2^-57 of s (for floats log(1 + f) =
// f + f²·q(f), below 2^-27); then ln(2) in two parts.
static __constant__ double lz_ln_constants[9] = {
    4.461415032100348e-06, 1.8715212062020775e-05, 8.878367063867885e-05, 0.00043402755944965796,
    0.002232142861447917, 0.01249999999996821, 0.08333333333333337,
    0.6931471805599453, 2.3190468138462996e-17};
// The logarithm of x·2^scale for a positive normal x. Its quotient is taken twice: s, and what s
// falls short of it.
LZ_FN double lz_ln_normal(double x, int scale) {
    const double* c = lz_ln_constants;
    const int power = (lz_high(x) - 0x3fe6a09e) >> 20;
    const double m = __longlong_as_double(__double_as_longlong(x) - ((long long)power << 52));
    const double f = m - 1.0, r = lz_near_reciprocal(m + 1.0);
    double s = f * r;
    s += s;
    double short_of = f - s;
    short_of = r * fma(-s, f, short_of + short_of);
    const double z = s * s;
    double q = c[0];
    for (int k = 1; k < 7; ++k) q = fma(q, z, c[k]);
    q = fma(q * z, s, short_of);
    // An integer as a double: below 2^52, with its sign bit turned.
    const long long digits = (long long)((unsigned)(power + scale) ^ 0x80000000u);
    const double n = __longlong_as_double(0x4330000000000000ll | digits) - 4503601774854144.0;
    const double top = fma(n, c[7], s);
    const double rest = s - fma(n, -c[7], top);
    return top + (fma(n, c[8], rest) + q);
}
LZ_FN float lz_ln_normal(float x, int scale) {
    const float c[8] = {0.1276157647371292f,  -0.13160181045532227f, 0.14201758801937103f,
                        -0.16623356938362122f, 0.20001226663589478f,  -0.2500081956386566f,
                        0.3333333134651184f,   -0.5f};
    const int bits = __float_as_int(x), power = (bits - 0x3f3504f3) >> 23;
    const float f = __int_as_float(bits - (power << 23)) - 1.0f;
    float q = -0.07634496688842773f;
    for (int k = 0; k < 8; ++k) q = fmaf(q, f, c[k]);
    return fmaf((float)(power + scale), 0.6931471805599453f, fmaf(q * f, f, f));
}
LZ_FN bool lz_is_positive_normal(double x) { return (unsigned)(lz_high(x) - 0x00100000) < 0x7fe00000u; }
LZ_FN bool lz_is_positive_normal(float x) { return (unsigned)(__float_as_int(x) - 0x00800000) < 0x7f000000u; }
template <class F> LZ_FN F lz_ln_of(F x) {
    if (lz_is_positive_normal(x)) return lz_ln_normal(x, 0);
    if (x > F(0) && x < lz_infinity<F>()) return lz_ln_normal(x * F(1ll << 54), -54);
    return x == F(0) ? -lz_infinity<F>() : x < F(0) ? x - x + (lz_infinity<F>() - lz_infinity<F>()) : x;
}
LZ_FN float lz_ln(float x) { return lz_ln_of(x); }
LZ_FN double lz_ln(double x) { return lz_ln_of(x); }

// atan(t) = t + t·z·q(z) for z = t² and |t| <= 1/2: q in descending powers, a Chebyshev fit with an
// error below 2^-60 of t; then pi/4 in two parts.
static __constant__ double lz_atan_constants[15] = {
    -0.009211063504627926, 0.024999689507521367, -0.03806224794996687, 0.04627870086418654,
    -0.052400641544110685, 0.05879573107799684, -0.06666435144143137, 0.07692294677482635,
    -0.09090908618865388, 0.11111111100881761, -0.1428571428559874, 0.19999999999999485,
    -0.3333333333333333,
    0.7853981633974483, 3.061616997868383e-17};
// Whether the larger of both is neither so small nor so large that its reciprocal, or the sum of
// both, is no normal number.
LZ_FN bool lz_atan2_is_usual(double y, double x) {
    const int a = lz_high(y) & 0x7fffffff, b = lz_high(x) & 0x7fffffff;
    return (unsigned)((a > b ? a : b) - 0x00200000) < 0x7fa00000u;
}
// The quotient t of the smaller by the larger, or where it is above 1/2 the tangent of what its
// angle is short of pi/4, (t - 1) / (t + 1); then the angle, from or towards the next multiple of
// pi/4. Which is larger the upper halves say: where they are equal either will do.
LZ_FN double lz_atan2_usual(double y, double x) {
    const double* c = lz_atan_constants;
    const int a = lz_high(y) & 0x7fffffff, b = lz_high(x) & 0x7fffffff;
    const bool steep = a > b, left = lz_high(x) < 0;
    const double large = fabs(steep ? y : x), small = fabs(steep ? x : y);
    const bool beyond = (steep ? b : a) + 0x00100000 > (steep ? a : b);
    const double top = small - (beyond ? large : 0.0), bottom = large + (beyond ? small : 0.0);
    const double r = lz_near_reciprocal(bottom);
    double t = top * r;
    t = fma(r, fma(-bottom, t, top), t);
    const double z = t * t;
    double q = c[0];
    for (int k = 1; k < 13; ++k) q = fma(q, z, c[k]);
    double angle = fma(q * z, t, t);
    int eighths = beyond ? 1 : 0;
    eighths = steep ? 2 - eighths : eighths;
    eighths = left ? 4 - eighths : eighths;
    angle = steep != left ? -angle : angle;
    const double n = __longlong_as_double(0x4330000000000000ll | eighths) - 4503599627370496.0;
    return copysign(fma(n, c[13], fma(n, c[14], angle)), y);
}
LZ_FN float lz_atan2(float y, float x) { return atan2f(y, x); }
LZ_FN double lz_atan2(double y, double x) {
    if (lz_atan2_is_usual(y, x)) return lz_atan2_usual(y, x);
    if (y != y || x != x) return x + y;
    double a = fabs(y), b = fabs(x);
    const double large = a > b ? a : b;
    if (large == lz_infinity<double>()) {
        a = a == large ? 1.0 : 0.0;
        b = b == large ? 1.0 : 0.0;
    } else if (large == 0.0) {
        b = 1.0;
    } else {
        const double scale = large > 1.0 ? __longlong_as_double(0x1a70000000000000ll) : __longlong_as_double(0x6570000000000000ll);
        a *= scale;
        b *= scale;
    }
    return lz_atan2_usual(copysign(a, y), copysign(b, x));
}

#define LZ_MATH_2(name, single, twice)                                                           \
    LZ_FN float name(float a, float b) { return single(a, b); }                                  \
    LZ_FN double name(double a, double b) { return twice(a, b); }
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

template <class F> LZ_FN F lz_heaviside_of(F a, F b) {
    return a != a ? a : a == F(0) ? b : a < F(0) ? F(0) : F(1);
}
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
template <class T> LZ_FN T lz_bitwise_and(T a, T b) { return lz_narrow<T>(a & b); }
template <class T> LZ_FN T lz_bitwise_or(T a, T b) { return lz_narrow<T>(a | b); }
template <class T> LZ_FN T lz_bitwise_xor(T a, T b) { return lz_narrow<T>(a ^ b); }
template <class T> LZ_FN T lz_bitwise_not(T a) { return lz_narrow<T>(~a); }
LZ_FN bool lz_bitwise_not(bool a) { return !a; }

// A count of the width or more shifts everything out, and so does a negative one.
template <class T> LZ_FN T lz_left_shift(T a, T n) {
    return lz_unsigned_t<T>(n) < 8 * sizeof(T) ? lz_narrow<T>(lz_wrap_t<T>(a) << lz_unsigned_t<T>(n)) : T(0);
}
template <class T> LZ_FN T lz_right_shift(T a, T n) {
    if (lz_unsigned_t<T>(n) < 8 * sizeof(T)) return lz_narrow<T>(a >> n);
    return a < T(0) ? T(-1) : T(0);
}
template <class T> LZ_FN lz_u8 lz_bitwise_count(T a) {
    return lz_u8(__popcll(lz_u64(lz_unsigned_t<T>(lz_abs(a)))));
}
template <class T> LZ_FN T lz_gcd(T a, T b) {
    typedef lz_unsigned_t<T> U;
    U x = U(lz_abs(a)), y = U(lz_abs(b));
    while (y != 0) {
        U r = lz_narrow<U>(x % y);
        x = y;
        y = r;
    }
    return lz_narrow<T>(x);
}
// The product of the magnitudes wraps, as in NumPy, also to a negative number.
template <class T> LZ_FN T lz_lcm(T a, T b) {
    typedef lz_unsigned_t<T> U;
    U g = U(lz_gcd(a, b));
    if (g == 0) return T(0);
    return lz_narrow<T>(lz_wrap_t<T>(lz_narrow<U>(U(lz_abs(a)) / g)) * lz_wrap_t<T>(U(lz_abs(b))));
}
