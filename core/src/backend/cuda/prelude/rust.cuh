// What Rust means, where C++ and NumPy mean something else: for functions that users write.

// An array of constant size in registers.
template <class T, int N> struct lz_array {
    T v[N];
    LZ_FN T& operator[](lz_u64 i) { return v[i]; }
    LZ_FN const T& operator[](lz_u64 i) const { return v[i]; }
    LZ_FN static constexpr lz_u64 size() { return N; }
};
template <class A, class T> LZ_FN A lz_filled(T value) {
    A a;
    for (lz_u64 i = 0; i < A::size(); ++i) a.v[i] = value;
    return a;
}
template <class... T> LZ_FN lz_tuple<T...> lz_make_tuple(T... parts) { return lz_tuple<T...>{parts...}; }
// A literal in the type of a value.
template <class T, class L> LZ_FN T lz_rust_same(T, L literal) { return T(literal); }

template <class A, class B, class C> LZ_FN auto lz_multiply_add(A a, B b, C c) {
    return lz_add(lz_multiply(a, b), c);
}
// z * w + c of complex numbers in four fused steps, as the compiler contracts those of real ones.
#ifndef LZ_EMULATE
template <class T>
LZ_FN lz_complex<T> lz_multiply_add(lz_complex<T> a, lz_complex<T> b, lz_complex<T> c) {
    return {lz_mul_add(a.re, b.re, lz_mul_add(-a.im, b.im, c.re)),
            lz_mul_add(a.re, b.im, lz_mul_add(a.im, b.re, c.im))};
}
#endif

// ---- Ranges ----

template <class T> LZ_FN T lz_rust_before(T i) { return lz_narrow<T>(i - 1); }

// What follows `i` in a range that goes by steps, or its end.
template <class T> LZ_FN T lz_rust_next(T i, T end, lz_u64 by) {
    typedef lz_unsigned_t<T> U;
    return lz_u64(U(U(end) - U(i))) > by && by != 0 ? lz_narrow<T>(U(i) + U(by)) : end;
}

// An arithmetic progression. Its numbers wrap on the way, and come out right.
template <class T> struct lz_rust_progression {
    lz_u64 first, step, count;
    LZ_FN T operator[](lz_u64 k) const { return lz_narrow<T>(first + k * step); }
    LZ_FN void reverse() {
        if (count != 0) first += (count - 1) * step;
        step = 0 - step;
    }
    LZ_FN void step_by(lz_u64 n) {
        n = n == 0 ? 1 : n;
        count = count / n + (count % n != 0);
        step *= n;
    }
};
template <class T> LZ_FN lz_rust_progression<T> lz_rust_range(T from, T to, bool inclusive) {
    lz_u64 count = from < to ? lz_u64(to) - lz_u64(from) : 0;
    if (inclusive && from <= to && count != ~lz_u64(0)) count += 1;
    return lz_rust_progression<T>{lz_u64(from), 1, count};
}

// ---- Shifts: the count is taken modulo the width ----

template <class T, class N> LZ_FN T lz_rust_shl(T a, N n) {
    return lz_narrow<T>(lz_wrap_t<T>(a) << (lz_u32(n) & (8 * sizeof(T) - 1)));
}
template <class T, class N> LZ_FN T lz_rust_shr(T a, N n) {
    return lz_narrow<T>(a >> (lz_u32(n) & (8 * sizeof(T) - 1)));
}

// ---- Integers ----

template <class T> LZ_FN T lz_rust_pow(T a, lz_u32 n) {
    lz_wrap_t<T> result = 1, base = lz_wrap_t<T>(a);
    for (; n != 0; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return lz_narrow<T>(result);
}
template <class T> LZ_FN T lz_rust_saturating_add(T a, T b) {
    T sum = lz_add(a, b);
    if (lz_is_signed<T>) return (sum < a) == (b < T(0)) ? sum : b < T(0) ? lz_lowest<T> : lz_highest<T>;
    return sum < a ? lz_highest<T> : sum;
}
template <class T> LZ_FN T lz_rust_saturating_sub(T a, T b) {
    T difference = lz_subtract(a, b);
    if (lz_is_signed<T>)
        return (difference > a) == (b < T(0)) ? difference : b < T(0) ? lz_highest<T> : lz_lowest<T>;
    return b > a ? T(0) : difference;
}
template <class T> LZ_FN T lz_rust_saturating_mul(T a, T b) {
    if (a == T(0) || b == T(0)) return T(0);
    const T product = lz_multiply(a, b);
    // -1 times the lowest number wraps to that number, which the quotient would not show.
    const bool fits = !(lz_is_signed<T> && ((a == T(-1) && b == lz_lowest<T>) || (b == T(-1) && a == lz_lowest<T>)));
    if (fits && lz_divide(product, b) == a) return product;
    return (a < T(0)) == (b < T(0)) ? lz_highest<T> : lz_lowest<T>;
}
template <class T> LZ_FN T lz_rust_div_ceil(T a, T b) {
    const T quotient = lz_divide(a, b), rest = lz_fmod(a, b);
    return b != T(0) && rest != T(0) && (rest > T(0)) == (b > T(0)) ? lz_narrow<T>(quotient + 1) : quotient;
}
template <class T> LZ_FN bool lz_rust_is_multiple_of(T a, T b) {
    return b == T(0) ? a == T(0) : lz_fmod(a, b) == T(0);
}
// The root of the float, which may be one off either way.
template <class T> LZ_FN T lz_rust_isqrt(T a) {
    if (!(a > T(0))) return T(0);
    const lz_u64 n = lz_u64(a);
    lz_u64 root = lz_u64(lz_sqrt(double(n)));
    if (root > 4294967295ull) root = 4294967295ull;
    while (root * root > n) --root;
    while (root < 4294967295ull && (root + 1) * (root + 1) <= n) ++root;
    return lz_narrow<T>(root);
}
template <class T> LZ_FN lz_unsigned_t<T> lz_rust_abs_diff(T a, T b) {
    typedef lz_unsigned_t<T> U;
    return lz_narrow<U>(a < b ? lz_wrap_t<T>(b) - lz_wrap_t<T>(a) : lz_wrap_t<T>(a) - lz_wrap_t<T>(b));
}
template <class T> LZ_FN lz_unsigned_t<T> lz_rust_unsigned_abs(T a) { return lz_narrow<lz_unsigned_t<T>>(lz_abs(a)); }
template <class T> LZ_FN bool lz_rust_is_positive(T a) { return a > T(0); }
template <class T> LZ_FN bool lz_rust_is_negative(T a) { return a < T(0); }
template <class T> LZ_FN bool lz_rust_is_power_of_two(T a) { return a != T(0) && (a & T(a - 1)) == T(0); }
template <class T> LZ_FN lz_u32 lz_rust_count_ones(T a) { return lz_u32(__popcll(lz_u64(lz_unsigned_t<T>(a)))); }
template <class T> LZ_FN lz_u32 lz_rust_count_zeros(T a) { return 8 * sizeof(T) - lz_rust_count_ones(a); }
template <class T> LZ_FN lz_u32 lz_rust_leading_zeros(T a) {
    return lz_u32(__clzll((long long)lz_u64(lz_unsigned_t<T>(a)))) - (64 - 8 * sizeof(T));
}
template <class T> LZ_FN lz_u32 lz_rust_trailing_zeros(T a) {
    lz_u32 zeros = lz_u32(__ffsll((long long)lz_u64(lz_unsigned_t<T>(a))));
    return zeros == 0 ? lz_u32(8 * sizeof(T)) : zeros - 1;
}
template <class T> LZ_FN lz_u32 lz_rust_leading_ones(T a) { return lz_rust_leading_zeros(T(~a)); }
template <class T> LZ_FN lz_u32 lz_rust_trailing_ones(T a) { return lz_rust_trailing_zeros(T(~a)); }
template <class T> LZ_FN lz_u32 lz_rust_ilog2(T a) {
    return a > T(0) ? lz_u32(8 * sizeof(T) - 1) - lz_rust_leading_zeros(a) : 0;
}
// 0 where the power does not fit, as in release builds.
template <class T> LZ_FN T lz_rust_next_power_of_two(T a) {
    if (a <= T(1)) return T(1);
    const lz_u32 bits = lz_u32(8 * sizeof(T)) - lz_rust_leading_zeros(T(a - 1));
    return bits == 8 * sizeof(T) ? T(0) : lz_narrow<T>(lz_u64(1) << bits);
}
template <class T> LZ_FN T lz_rust_rotate_left(T a, lz_u32 n) {
    typedef lz_unsigned_t<T> U;
    n &= 8 * sizeof(T) - 1;
    const lz_wrap_t<T> bits = lz_wrap_t<T>(U(a));
    return n == 0 ? a : lz_narrow<T>(bits << n | bits >> (8 * sizeof(T) - n));
}
template <class T> LZ_FN T lz_rust_rotate_right(T a, lz_u32 n) {
    return lz_rust_rotate_left(a, lz_u32(8 * sizeof(T)) - (n & (8 * sizeof(T) - 1)));
}
template <class T> LZ_FN T lz_rust_swap_bytes(T a) {
    lz_unsigned_t<T> from = lz_unsigned_t<T>(a), to = 0;
    for (int k = 0; k < int(sizeof(T)); ++k) {
        to = lz_unsigned_t<T>(lz_u64(to) << 8 | (from & 0xff));
        from = lz_unsigned_t<T>(lz_u64(from) >> 8);
    }
    return lz_narrow<T>(to);
}
template <class T> LZ_FN T lz_rust_reverse_bits(T a) {
    lz_unsigned_t<T> from = lz_unsigned_t<T>(a), to = 0;
    for (int k = 0; k < int(8 * sizeof(T)); ++k) {
        to = lz_unsigned_t<T>(lz_u64(to) << 1 | (from & 1));
        from = lz_unsigned_t<T>(lz_u64(from) >> 1);
    }
    return lz_narrow<T>(to);
}

// ---- Numbers ----

template <class T> LZ_FN T lz_rust_one() { return T(1); }
template <> LZ_FN lz_f16 lz_rust_one<lz_f16>() { return lz_f16{0x3c00}; }
template <> LZ_FN lz_bf16 lz_rust_one<lz_bf16>() { return lz_bf16{0x3f80}; }
template <> LZ_FN lz_c64 lz_rust_one<lz_c64>() { return lz_c64{1.0f, 0.0f}; }
template <> LZ_FN lz_c128 lz_rust_one<lz_c128>() { return lz_c128{1.0, 0.0}; }

// Halves compute in f32 and round once.
template <class T> LZ_FN T lz_rust_powi(T a, lz_i32 n) {
    if constexpr (lz_is_half<T>) {
        return lz_round_to<T>(lz_rust_powi(lz_to_f32(a), n));
    } else {
        lz_u32 left = lz_u32(lz_abs(n));
        T result = lz_rust_one<T>(), base = a;
        while (left != 0) {
            if (left & 1) result = lz_multiply(result, base);
            left >>= 1;
            if (left != 0) base = lz_multiply(base, base);
        }
        return n < 0 ? lz_reciprocal(result) : result;
    }
}
template <class T, class B> LZ_FN T lz_rust_log(T a, B base) {
    if constexpr (lz_is_half<T>) return lz_round_to<T>(lz_rust_log(lz_to_f32(a), lz_to_f32(base)));
    else return lz_divide(lz_ln(a), lz_ln(base));
}
// The signs of zeros count, and NaN stays.
template <class T> LZ_FN T lz_rust_signum(T a) {
    if constexpr (lz_is_float<T> || lz_is_half<T>) return lz_is_nan(a) ? a : lz_copysign(lz_rust_one<T>(), a);
    else return lz_sign(a);
}
template <class T> LZ_FN bool lz_rust_is_sign_positive(T a) { return !lz_signbit(a); }
template <class T> LZ_FN T lz_rust_fract(T a) { return lz_subtract(a, lz_trunc(a)); }
template <class T> LZ_FN lz_tuple<T, lz_i32> lz_rust_frexp(T a) {
    return {lz_frexp_mantissa(a), lz_frexp_exponent(a)};
}
template <class T> LZ_FN lz_tuple<T, T> lz_rust_modf(T a) {
    const T whole = lz_trunc(a);
    return {lz_copysign(lz_is_inf(a) ? T{} : lz_subtract(a, whole), a), whole};
}
template <class T> LZ_FN T lz_rust_clamp(T a, T low, T high) { return a < low ? low : a > high ? high : a; }
template <class T> LZ_FN lz_tuple<T, T> lz_rust_sin_cos(T a) { return {lz_sin(a), lz_cos(a)}; }
template <class T> LZ_FN lz_unsigned_t<T> lz_rust_to_bits(T a) { return lz_bitcast<lz_unsigned_t<T>>(a); }
template <class T> LZ_FN lz_f32 lz_rust_to_f32(T a) { return lz_cast<lz_f32>(a); }
template <class T> LZ_FN lz_f64 lz_rust_to_f64(T a) { return lz_cast<lz_f64>(a); }

// ---- Complex numbers ----

template <class T> LZ_FN T lz_rust_norm_sqr(lz_complex<T> z) { return z.re * z.re + z.im * z.im; }
template <class T> LZ_FN T lz_rust_l1_norm(lz_complex<T> z) { return lz_abs(z.re) + lz_abs(z.im); }
template <class T> LZ_FN lz_tuple<T, T> lz_rust_to_polar(lz_complex<T> z) { return {lz_abs(z), lz_angle(z)}; }
template <class T> LZ_FN lz_complex<T> lz_rust_from_polar(T r, T angle) { return {r * lz_cos(angle), r * lz_sin(angle)}; }
template <class T> LZ_FN lz_complex<T> lz_rust_cis(T angle) { return {lz_cos(angle), lz_sin(angle)}; }

// With a real number on one side.
template <class T> LZ_FN lz_complex<T> lz_add(lz_complex<T> a, T b) { return {a.re + b, a.im}; }
template <class T> LZ_FN lz_complex<T> lz_add(T a, lz_complex<T> b) { return {a + b.re, b.im}; }
template <class T> LZ_FN lz_complex<T> lz_subtract(lz_complex<T> a, T b) { return {a.re - b, a.im}; }
template <class T> LZ_FN lz_complex<T> lz_subtract(T a, lz_complex<T> b) { return {a - b.re, -b.im}; }
template <class T> LZ_FN lz_complex<T> lz_multiply(lz_complex<T> a, T b) { return {a.re * b, a.im * b}; }
template <class T> LZ_FN lz_complex<T> lz_multiply(T a, lz_complex<T> b) { return {a * b.re, a * b.im}; }
template <class T> LZ_FN lz_complex<T> lz_divide(lz_complex<T> a, T b) { return {a.re / b, a.im / b}; }
template <class T> LZ_FN lz_complex<T> lz_divide(T a, lz_complex<T> b) { return lz_divide(lz_complex<T>{a, T(0)}, b); }
template <class T> LZ_FN lz_complex<T> lz_power(lz_complex<T> a, T b) { return lz_power(a, lz_complex<T>{b, T(0)}); }
