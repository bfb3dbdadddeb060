// The operations of complex numbers, written over the component type T, so that f32 never becomes
// f64. Special values are those of C's annex G where it has a say. The inverse functions follow
// W. Kahan, "Branch cuts for complex elementary functions".

#define LZ_CFN template <class T> LZ_FN

// A product that is never contracted: then z * conj(z) has no imaginary part.
#ifdef LZ_EMULATE
LZ_CFN T lz_product(T a, T b) { return a * b; }
#else
LZ_FN float lz_product(float a, float b) { return __fmul_rn(a, b); }
LZ_FN double lz_product(double a, double b) { return __dmul_rn(a, b); }
#endif

LZ_CFN bool operator==(lz_complex<T> a, lz_complex<T> b) { return a.re == b.re && a.im == b.im; }
LZ_CFN bool operator!=(lz_complex<T> a, lz_complex<T> b) { return !(a == b); }

LZ_CFN lz_complex<T> lz_add(lz_complex<T> a, lz_complex<T> b) { return {a.re + b.re, a.im + b.im}; }
LZ_CFN lz_complex<T> lz_subtract(lz_complex<T> a, lz_complex<T> b) { return {a.re - b.re, a.im - b.im}; }
LZ_CFN lz_complex<T> lz_multiply(lz_complex<T> a, lz_complex<T> b) {
    return {lz_product(a.re, b.re) - lz_product(a.im, b.im), lz_product(a.re, b.im) + lz_product(a.im, b.re)};
}
// What brings large numbers away from overflow, and those that are nearly subnormal away from it.
LZ_CFN T lz_division_factor(lz_complex<T> z) {
    const T size = lz_fmax(lz_abs(z.re), lz_abs(z.im));
    return size > T(1e37) ? T(0.25) : size < T(1e-30) ? T(18446744073709551616.0) : T(1);
}
LZ_FN double lz_division_factor(lz_c128 z) {
    const double size = lz_fmax(lz_abs(z.re), lz_abs(z.im));
    return size > 1e307 ? 0.25 : size < 1e-290 ? 18446744073709551616.0 : 1.0;
}
// Smith's division, as on the processor: no sum or product of two components overflows on the way,
// and the signs of zeros are NumPy's.
LZ_CFN lz_complex<T> lz_divide(lz_complex<T> a, lz_complex<T> b) {
    if (b.re == T(0) && b.im == T(0)) return {a.re / T(0), a.im / T(0)};
    const T fa = lz_division_factor(a), fb = lz_division_factor(b), back = fb / fa;
    a = {a.re * fa, a.im * fa};
    b = {b.re * fb, b.im * fb};
    if (lz_abs(b.re) >= lz_abs(b.im)) {
        const T ratio = b.im / b.re, scale = lz_mul_add(b.im, ratio, b.re);
        return {lz_mul_add(a.im, ratio, a.re) / scale * back, lz_mul_add(-a.re, ratio, a.im) / scale * back};
    }
    const T ratio = b.re / b.im, scale = lz_mul_add(b.re, ratio, b.im);
    return {lz_mul_add(a.re, ratio, a.im) / scale * back, lz_mul_add(a.im, ratio, -a.re) / scale * back};
}
// The quotient of a real one, which keeps the sign of the imaginary part, a zero's too.
LZ_CFN lz_complex<T> lz_reciprocal(lz_complex<T> a) {
    T re = lz_abs(a.re), im = lz_abs(a.im);
    if (re >= im) {
        if (re == T(0) && im == T(0)) return {T(1) / re, T(0) / im};
        T ratio = a.im / a.re, scale = T(1) / (a.re + a.im * ratio);
        return {scale, -(ratio * scale)};
    }
    T ratio = a.re / a.im, scale = T(1) / (a.im + a.re * ratio);
    return {ratio * scale, -scale};
}
LZ_CFN lz_complex<T> lz_negative(lz_complex<T> a) { return {-a.re, -a.im}; }
LZ_CFN lz_complex<T> lz_square(lz_complex<T> a) { return lz_multiply(a, a); }
LZ_CFN lz_complex<T> lz_mul_add(lz_complex<T> a, lz_complex<T> b, lz_complex<T> c) {
    return lz_add(lz_multiply(a, b), c);
}
LZ_FN lz_c64 operator+(lz_c64 a, lz_c64 b) { return lz_add(a, b); }
LZ_FN lz_c64 operator-(lz_c64 a, lz_c64 b) { return lz_subtract(a, b); }
LZ_FN lz_c64 operator*(lz_c64 a, lz_c64 b) { return lz_multiply(a, b); }
LZ_FN lz_c64 operator/(lz_c64 a, lz_c64 b) { return lz_divide(a, b); }
LZ_FN lz_c64 operator-(lz_c64 a) { return lz_negative(a); }
LZ_FN lz_c128 operator+(lz_c128 a, lz_c128 b) { return lz_add(a, b); }
LZ_FN lz_c128 operator-(lz_c128 a, lz_c128 b) { return lz_subtract(a, b); }
LZ_FN lz_c128 operator*(lz_c128 a, lz_c128 b) { return lz_multiply(a, b); }
LZ_FN lz_c128 operator/(lz_c128 a, lz_c128 b) { return lz_divide(a, b); }
LZ_FN lz_c128 operator-(lz_c128 a) { return lz_negative(a); }

LZ_CFN bool lz_is_nan(lz_complex<T> z) { return z.re != z.re || z.im != z.im; }
LZ_CFN bool lz_is_inf(lz_complex<T> z) { return lz_is_inf(z.re) || lz_is_inf(z.im); }
LZ_CFN bool lz_is_finite(lz_complex<T> z) { return lz_is_finite(z.re) && lz_is_finite(z.im); }
LZ_CFN lz_complex<T> lz_conj(lz_complex<T> z) { return {z.re, -z.im}; }
LZ_CFN T lz_real(lz_complex<T> z) { return z.re; }
LZ_CFN T lz_imag(lz_complex<T> z) { return z.im; }
LZ_CFN T lz_angle(lz_complex<T> z) { return lz_atan2(z.im, z.re); }
LZ_CFN T lz_abs(lz_complex<T> z) { return lz_hypot(z.re, z.im); }
LZ_CFN lz_complex<T> lz_sign(lz_complex<T> z) {
    T r = lz_abs(z);
    if (r == T(0)) return {T(0), T(0)};
    if (r == lz_infinity<T>() && !lz_is_nan(z)) {
        bool re = lz_is_inf(z.re), im = lz_is_inf(z.im);
        // The direction of an infinity, and a modulus that left the range.
        if (!re && !im) return lz_sign(lz_complex<T>{z.re * T(0.25), z.im * T(0.25)});
        if (!re) return {T(0), lz_sign(z.im)};
        if (!im) return {lz_sign(z.re), T(0)};
    }
    return {z.re / r, z.im / r};
}

// ---- Exponential and logarithm ----

// Where exp overflows although its product with a sine or cosine may not.
template <class T> constexpr T lz_exp_limit = T(85);
template <> constexpr double lz_exp_limit<double> = 700.0;

// exp(x) * factor * (re, im), in two halves where exp alone would leave the range.
LZ_CFN lz_complex<T> lz_exp_times(T x, T factor, T re, T im) {
    if (!(lz_abs(x) > lz_exp_limit<T>)) {
        T e = lz_exp(x) * factor;
        return {e * re, e * im};
    }
    T e = lz_exp(x * T(0.5));
    return {e * re * factor * e, e * im * factor * e};
}
LZ_CFN lz_complex<T> lz_exp(lz_complex<T> z) {
    if (z.im == T(0)) return {lz_exp(z.re), z.im};
    if (lz_is_inf(z.re) && !lz_is_finite(z.im)) {
        if (z.re < T(0)) return {T(0), lz_copysign(T(0), z.im)};
        return {z.re, lz_nan<T>()};
    }
    return lz_exp_times(z.re, T(1), lz_cos(z.im), lz_sin(z.im));
}

// log |z|, precise near |z| = 1 and without overflow.
LZ_CFN T lz_log_abs(lz_complex<T> z) {
    T x = lz_abs(z.re), y = lz_abs(z.im);
    T big = lz_fmax(x, y), small = lz_fmin(x, y);
    if (lz_is_inf(x) || lz_is_inf(y)) return lz_infinity<T>();
    T r = lz_hypot(x, y);
    if (r > T(0.5) && r < T(2)) {
        return T(0.5) * lz_ln_1p(lz_mul_add(small, small, (big - T(1)) * (big + T(1))));
    }
    // Powers of two that bring the largest and the subnormal values to the middle.
    if (big > T(1e37)) return lz_ln(lz_hypot(x * T(0.0078125), y * T(0.0078125))) + T(4.852030263919617165);
    if (big < T(1e-36)) return lz_ln(lz_hypot(x * T(16777216), y * T(16777216))) - T(16.63553233343868743);
    return lz_ln(r);
}
LZ_CFN lz_complex<T> lz_ln(lz_complex<T> z) { return {lz_log_abs(z), lz_angle(z)}; }
LZ_CFN lz_complex<T> lz_log2(lz_complex<T> z) {
    const T scale = T(1.442695040888963407359924681001892137);
    return {lz_log_abs(z) * scale, lz_angle(z) * scale};
}
LZ_CFN lz_complex<T> lz_log10(lz_complex<T> z) {
    const T scale = T(0.434294481903251827651128918916605082);
    return {lz_log_abs(z) * scale, lz_angle(z) * scale};
}

LZ_CFN lz_complex<T> lz_sqrt(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (x == T(0) && y == T(0)) return {T(0), y};
    if (lz_is_inf(y)) return {lz_infinity<T>(), y};
    if (lz_is_inf(x)) {
        if (x < T(0)) return {y != y ? y : T(0), lz_copysign(y != y ? x : lz_infinity<T>(), y)};
        return {x, y != y ? y : lz_copysign(T(0), y)};
    }
    // A quarter of large values, and 2^24 times the small ones: exact, and undone by its root.
    T up = T(1), down = T(1);
    T big = lz_fmax(lz_abs(x), lz_abs(y));
    if (big > T(1e37)) up = T(0.25), down = T(2);
    else if (big < T(1e-36)) up = T(16777216), down = T(1) / T(4096);
    x *= up;
    y *= up;
    T t = lz_sqrt((lz_abs(x) + lz_hypot(x, y)) * T(0.5));
    T other = lz_abs(y) / (t * T(2)) * down;
    t *= down;
    return x >= T(0) ? lz_complex<T>{t, lz_copysign(other, y)} : lz_complex<T>{other, lz_copysign(t, y)};
}

// NumPy's power: small integer exponents by multiplication, the rest by exp and log.
LZ_CFN lz_complex<T> lz_power(lz_complex<T> a, lz_complex<T> b) {
    if (b.re == T(0) && b.im == T(0)) return {T(1), T(0)};
    if (a.re == T(0) && a.im == T(0)) {
        if (b.re > T(0)) return {T(0), T(0)};
        return {lz_nan<T>(), lz_nan<T>()};
    }
    if (b.im == T(0) && lz_abs(b.re) < T(100) && b.re == lz_trunc(b.re)) {
        int n = int(lz_abs(b.re));
        lz_complex<T> result = {T(1), T(0)}, base = a;
        for (bool first = true; n != 0; n >>= 1) {
            if (n & 1) {
                result = first ? base : lz_multiply(result, base);
                first = false;
            }
            if (n > 1) base = lz_multiply(base, base);
        }
        return b.re < T(0) ? lz_reciprocal(result) : result;
    }
    return lz_exp(lz_multiply(b, lz_ln(a)));
}

// ---- Trigonometric and hyperbolic functions ----

// i * z read backwards: what turns a hyperbolic function into its trigonometric sister.
LZ_CFN lz_complex<T> lz_swap(lz_complex<T> z) { return {z.im, z.re}; }

LZ_CFN lz_complex<T> lz_sinh(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (y == T(0)) return {lz_sinh(x), y};
    if (!lz_is_finite(y)) {
        if (x == T(0)) return {x, lz_nan<T>()};
        if (lz_is_inf(x)) return {x, lz_nan<T>()};
        return {lz_nan<T>(), lz_nan<T>()};
    }
    T s = lz_sin(y), c = lz_cos(y);
    if (lz_abs(x) > T(40)) return lz_exp_times(lz_abs(x), T(0.5), lz_copysign(T(1), x) * c, s);
    return {lz_sinh(x) * c, lz_cosh(x) * s};
}
LZ_CFN lz_complex<T> lz_cosh(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (y == T(0)) return {lz_cosh(x), lz_copysign(T(1), x) * y};
    if (!lz_is_finite(y)) {
        if (x == T(0)) return {lz_nan<T>(), x};
        if (lz_is_inf(x)) return {lz_infinity<T>(), lz_nan<T>()};
        return {lz_nan<T>(), lz_nan<T>()};
    }
    T s = lz_sin(y), c = lz_cos(y);
    if (lz_abs(x) > T(40)) return lz_exp_times(lz_abs(x), T(0.5), c, lz_copysign(T(1), x) * s);
    return {lz_cosh(x) * c, lz_sinh(x) * s};
}
LZ_CFN lz_complex<T> lz_tanh(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (y == T(0)) return {lz_tanh(x), y};
    if (lz_abs(x) > T(22)) {
        T im = lz_is_finite(y) ? lz_sin(y) * lz_cos(y) : T(0) * lz_copysign(T(1), y);
        return {lz_copysign(T(1), x), T(4) * im * lz_exp(T(-2) * lz_abs(x))};
    }
    T t = lz_tan(y);
    if (x == T(0)) return {x, t};
    T s = lz_sinh(x), r = lz_sqrt(T(1) + s * s);
    if (lz_is_inf(t)) return {r / s, T(1) / t};
    T beta = T(1) + t * t, below = T(1) + beta * s * s;
    return {beta * r * s / below, t / below};
}
LZ_CFN lz_complex<T> lz_sin(lz_complex<T> z) { return lz_swap(lz_sinh(lz_swap(z))); }
LZ_CFN lz_complex<T> lz_cos(lz_complex<T> z) { return lz_cosh(lz_complex<T>{-z.im, z.re}); }
LZ_CFN lz_complex<T> lz_tan(lz_complex<T> z) { return lz_swap(lz_tanh(lz_swap(z))); }

// ---- Their inverses ----

template <class T> constexpr T lz_half_pi = T(1.570796326794896619231321691639751442);
template <class T> constexpr T lz_pi = T(3.141592653589793238462643383279502884);

LZ_CFN lz_complex<T> lz_asinh(lz_complex<T> z);
LZ_CFN lz_complex<T> lz_asin(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (lz_is_inf(y)) {
        if (x != x) return {x, y};
        return {lz_is_inf(x) ? lz_copysign(lz_half_pi<T> * T(0.5), x) : lz_copysign(T(0), x), y};
    }
    if (lz_is_inf(x)) {
        if (y != y) return {y, lz_infinity<T>()};
        return {lz_copysign(lz_half_pi<T>, x), lz_copysign(lz_infinity<T>(), y)};
    }
    if (y != y) return {x == T(0) ? x : lz_nan<T>(), lz_nan<T>()};
    lz_complex<T> a = lz_sqrt(lz_complex<T>{T(1) - x, -y}), b = lz_sqrt(lz_complex<T>{T(1) + x, y});
    return {lz_atan2(x, lz_product(a.re, b.re) - lz_product(a.im, b.im)),
            lz_copysign(lz_asinh(lz_product(a.re, b.im) - lz_product(a.im, b.re)), y)};
}
LZ_CFN lz_complex<T> lz_asinh(lz_complex<T> z) { return lz_swap(lz_asin(lz_swap(z))); }
LZ_CFN lz_complex<T> lz_acos(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (lz_is_inf(y)) {
        if (x != x) return {x, -y};
        T re = lz_is_inf(x) ? (x < T(0) ? lz_half_pi<T> * T(1.5) : lz_half_pi<T> * T(0.5)) : lz_half_pi<T>;
        return {re, -y};
    }
    if (lz_is_inf(x)) {
        if (y != y) return {y, lz_infinity<T>()};
        return {x < T(0) ? lz_pi<T> : T(0), -lz_copysign(lz_infinity<T>(), y)};
    }
    if (y != y) return {x == T(0) ? lz_half_pi<T> : lz_nan<T>(), lz_nan<T>()};
    lz_complex<T> a = lz_sqrt(lz_complex<T>{T(1) - x, -y}), b = lz_sqrt(lz_complex<T>{T(1) + x, y});
    return {T(2) * lz_atan2(a.re, b.re),
            lz_copysign(lz_asinh(lz_product(b.re, a.im) - lz_product(b.im, a.re)), -y)};
}
LZ_CFN lz_complex<T> lz_acosh(lz_complex<T> z) {
    lz_complex<T> w = lz_acos(z);
    return {lz_abs(w.im), lz_copysign(w.re, z.im)};
}
LZ_CFN lz_complex<T> lz_atanh(lz_complex<T> z) {
    T x = z.re, y = z.im;
    if (!lz_is_finite(x) || !lz_is_finite(y)) {
        if (lz_is_inf(y)) return {lz_copysign(T(0), x), lz_copysign(lz_half_pi<T>, y)};
        if (lz_is_inf(x)) return {lz_copysign(T(0), x), y != y ? y : lz_copysign(lz_half_pi<T>, y)};
        if (x == T(0)) return {x, lz_nan<T>()};
        return {lz_nan<T>(), lz_nan<T>()};
    }
    if (lz_abs(x) > T(1e15) || lz_abs(y) > T(1e15)) {
        // 1 / z, divided so that no square overflows.
        T r = lz_hypot(x, y);
        return {x / r / r, lz_copysign(lz_half_pi<T>, y)};
    }
    T away = T(1) - lz_abs(x);
    T square = away * away + y * y;
    // At the pole what is left of the logarithm is the distance, whose square may underflow.
    T re = square < T(1e-30) ? T(0.5) * (T(0.693147180559945309417) - lz_ln(lz_hypot(away, y)))
                             : T(0.25) * lz_ln_1p(lz_abs(x) * T(4) / square);
    T im = lz_atan2(T(2) * y, away * (T(1) + lz_abs(x)) - y * y);
    return {lz_copysign(re, x), im * T(0.5)};
}
LZ_CFN lz_complex<T> lz_atan(lz_complex<T> z) { return lz_swap(lz_atanh(lz_swap(z))); }
