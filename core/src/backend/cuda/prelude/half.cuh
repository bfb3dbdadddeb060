// The operations of f16 and bf16: computed in f32, rounded after each, but for mul_add. Sums,
// differences and products the device computes in these types itself, for two elements at once, with
// the same bits, since a float has more than twice as many digits (S. A. Figueroa, When is double rounding
// innocuous?, 1995); on an H200 they were compared for all pairs of numbers.

#define LZ_HALF_1(name)                                                                          \
    LZ_FN lz_f16 name(lz_f16 a) { return lz_round_f16(name(lz_to_f32(a))); }                     \
    LZ_FN lz_bf16 name(lz_bf16 a) { return lz_round_bf16(name(lz_to_f32(a))); }
#define LZ_HALF_2(name)                                                                          \
    LZ_FN lz_f16 name(lz_f16 a, lz_f16 b) { return lz_round_f16(name(lz_to_f32(a), lz_to_f32(b))); } \
    LZ_FN lz_bf16 name(lz_bf16 a, lz_bf16 b) { return lz_round_bf16(name(lz_to_f32(a), lz_to_f32(b))); }
#define LZ_HALF_TEST(name)                                                                       \
    LZ_FN bool name(lz_f16 a) { return name(lz_to_f32(a)); }                                     \
    LZ_FN bool name(lz_bf16 a) { return name(lz_to_f32(a)); }
#define LZ_HALF_COMPARE(op)                                                                      \
    LZ_FN bool operator op(lz_f16 a, lz_f16 b) { return lz_to_f32(a) op lz_to_f32(b); }          \
    LZ_FN bool operator op(lz_bf16 a, lz_bf16 b) { return lz_to_f32(a) op lz_to_f32(b); }

LZ_HALF_COMPARE(==)
LZ_HALF_COMPARE(!=)
LZ_HALF_COMPARE(<)
LZ_HALF_COMPARE(<=)
LZ_HALF_COMPARE(>)
LZ_HALF_COMPARE(>=)

#define LZ_HALF_OWN(name, instruction, type)                                                     \
    LZ_FN type name(type a, type b) {                                                            \
        type c;                                                                                  \
        asm(instruction " %0, %1, %2;" : "=h"(c.bits) : "h"(a.bits), "h"(b.bits));               \
        return c;                                                                                \
    }
#define LZ_HALF_ROUNDED(name, type)                                                              \
    LZ_FN type name(type a, type b) { return lz_round_to<type>(name(lz_to_f32(a), lz_to_f32(b))); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define LZ_F16_2(name, instruction) LZ_HALF_OWN(name, instruction ".f16", lz_f16)
#else
#define LZ_F16_2(name, instruction) LZ_HALF_ROUNDED(name, lz_f16)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LZ_BF16_2(name, instruction) LZ_HALF_OWN(name, instruction ".bf16", lz_bf16)
#else
#define LZ_BF16_2(name, instruction) LZ_HALF_ROUNDED(name, lz_bf16)
#endif
LZ_F16_2(lz_add, "add.rn")
LZ_F16_2(lz_subtract, "sub.rn")
LZ_F16_2(lz_multiply, "mul.rn")
LZ_BF16_2(lz_add, "add.rn")
LZ_BF16_2(lz_subtract, "sub.rn")
LZ_BF16_2(lz_multiply, "mul.rn")
// A quotient of f16 is so far from where its rounding changes that one step from an estimate is
// enough. Zeros, which would lose their sign, and what has no remainder (infinities and what is
// divided by zero) are the first estimate itself. No branches, and one estimate for all that is
// divided by the same number; compared with the rounded quotient for all pairs of numbers, too.
LZ_FN lz_f16 lz_divide(lz_f16 a, lz_f16 b) {
    const float x = lz_to_f32(a), y = lz_to_f32(b), r = lz_estimate_reciprocal(y), q = x * r;
    const float better = fmaf(fmaf(-q, y, x), r, q);
    return lz_round_f16(fabsf(better) > 0.0f ? better : q);
}
LZ_HALF_ROUNDED(lz_divide, lz_bf16)
LZ_HALF_2(lz_fmod)
LZ_HALF_2(lz_floor_divide)
LZ_HALF_2(lz_remainder)
LZ_HALF_2(lz_div_euclid)
LZ_HALF_2(lz_rem_euclid)
LZ_HALF_2(lz_power)
LZ_FN lz_f16 lz_negative(lz_f16 a) { return lz_f16{lz_u16(a.bits ^ 0x8000)}; }
LZ_FN lz_bf16 lz_negative(lz_bf16 a) { return lz_bf16{lz_u16(a.bits ^ 0x8000)}; }
LZ_FN lz_f16 lz_abs(lz_f16 a) { return lz_f16{lz_u16(a.bits & 0x7fff)}; }
LZ_FN lz_bf16 lz_abs(lz_bf16 a) { return lz_bf16{lz_u16(a.bits & 0x7fff)}; }
LZ_HALF_1(lz_sign)
LZ_HALF_1(lz_square)
LZ_FN lz_f16 lz_reciprocal(lz_f16 a) { return lz_divide(lz_round_f16(1.0f), a); }
LZ_FN lz_bf16 lz_reciprocal(lz_bf16 a) { return lz_round_bf16(lz_reciprocal(lz_to_f32(a))); }
LZ_HALF_1(lz_sqrt)
LZ_HALF_1(lz_cbrt)
LZ_HALF_1(lz_exp)
LZ_HALF_1(lz_exp2)
LZ_HALF_1(lz_exp10)
LZ_HALF_1(lz_exp_m1)
LZ_HALF_1(lz_ln)
LZ_HALF_1(lz_log2)
LZ_HALF_1(lz_log10)
LZ_HALF_1(lz_ln_1p)
LZ_HALF_2(lz_logaddexp)
LZ_HALF_2(lz_logaddexp2)
LZ_HALF_1(lz_sin)
LZ_HALF_1(lz_cos)
LZ_HALF_1(lz_tan)
LZ_HALF_1(lz_asin)
LZ_HALF_1(lz_acos)
LZ_HALF_1(lz_atan)
LZ_HALF_1(lz_sinh)
LZ_HALF_1(lz_cosh)
LZ_HALF_1(lz_tanh)
LZ_HALF_1(lz_asinh)
LZ_HALF_1(lz_acosh)
LZ_HALF_1(lz_atanh)
LZ_HALF_2(lz_atan2)
LZ_HALF_2(lz_hypot)
LZ_HALF_1(lz_degrees)
LZ_HALF_1(lz_radians)
LZ_HALF_1(lz_sinc)
LZ_HALF_1(lz_floor)
LZ_HALF_1(lz_ceil)
LZ_HALF_1(lz_trunc)
LZ_HALF_1(lz_rint)
LZ_HALF_1(lz_round)
LZ_HALF_1(lz_frexp_mantissa)
LZ_FN int lz_frexp_exponent(lz_f16 a) { return lz_frexp_exponent(lz_to_f32(a)); }
LZ_FN int lz_frexp_exponent(lz_bf16 a) { return lz_frexp_exponent(lz_to_f32(a)); }
LZ_HALF_2(lz_copysign)
LZ_HALF_2(lz_heaviside)
LZ_HALF_2(lz_minimum)
LZ_HALF_2(lz_maximum)
LZ_HALF_2(lz_fmin)
LZ_HALF_2(lz_fmax)
LZ_HALF_1(lz_conj)
LZ_HALF_1(lz_real)
LZ_HALF_1(lz_imag)
LZ_HALF_1(lz_angle)
LZ_HALF_TEST(lz_is_nan)
LZ_HALF_TEST(lz_is_inf)
LZ_HALF_TEST(lz_is_finite)
LZ_HALF_TEST(lz_is_pos_inf)
LZ_HALF_TEST(lz_is_neg_inf)
LZ_HALF_TEST(lz_signbit)

// A product and a sum together have more digits than a float, and of bf16 more than a double: where
// the device has no such instruction, the nearest double is replaced by its neighbour with an odd
// last bit if digits were lost, so that rounding it is the only rounding. A double holds the product
// of two halves exactly, and what the sum has lost (D. Knuth's two-sum).
LZ_FN float lz_halves_mul_add(float a, float b, float c) {
    const double product = double(a) * double(b), sum = product + double(c), added = sum - product;
    const double lost = (product - (sum - added)) + (double(c) - added);
    lz_u64 bits = lz_bitcast<lz_u64>(sum);
    if ((lost > 0.0 || lost < 0.0) && !(bits & 1)) bits += (lost > 0.0) == (sum > 0.0) ? 1 : -1;
    return lz_round_to_odd(lz_bitcast<double>(bits));
}
LZ_FN lz_f16 lz_mul_add(lz_f16 a, lz_f16 b, lz_f16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
    lz_f16 d;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return d;
#else
    return lz_round_f16(lz_halves_mul_add(lz_to_f32(a), lz_to_f32(b), lz_to_f32(c)));
#endif
}
LZ_FN lz_bf16 lz_mul_add(lz_bf16 a, lz_bf16 b, lz_bf16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    lz_bf16 d;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return d;
#else
    return lz_round_bf16(lz_halves_mul_add(lz_to_f32(a), lz_to_f32(b), lz_to_f32(c)));
#endif
}
LZ_FN lz_f16 lz_clip(lz_f16 a, lz_f16 low, lz_f16 high) { return lz_minimum(lz_maximum(a, low), high); }
LZ_FN lz_bf16 lz_clip(lz_bf16 a, lz_bf16 low, lz_bf16 high) { return lz_minimum(lz_maximum(a, low), high); }
LZ_FN lz_f16 lz_ldexp(lz_f16 a, int n) { return lz_round_f16(lz_ldexp(lz_to_f32(a), n)); }
LZ_FN lz_bf16 lz_ldexp(lz_bf16 a, int n) { return lz_round_bf16(lz_ldexp(lz_to_f32(a), n)); }

// One step in the format's own bits, which ascend with the magnitude.
template <class H> LZ_FN H lz_half_nextafter(H a, H b) {
    float x = lz_to_f32(a), y = lz_to_f32(b);
    if (x != x || y != y) return lz_round_to<H>(x + y);
    if (x == y) return b;
    if (x == 0.0f) return H{lz_u16((b.bits & 0x8000) | 1)};
    return H{lz_u16((y > x) == (x > 0.0f) ? a.bits + 1 : a.bits - 1)};
}
LZ_FN lz_f16 lz_nextafter(lz_f16 a, lz_f16 b) { return lz_half_nextafter(a, b); }
LZ_FN lz_bf16 lz_nextafter(lz_bf16 a, lz_bf16 b) { return lz_half_nextafter(a, b); }

LZ_HALF_1(lz_erf)
LZ_HALF_1(lz_erfc)
LZ_HALF_1(lz_erfinv)
LZ_HALF_1(lz_erfcinv)
LZ_HALF_1(lz_gamma)
LZ_HALF_1(lz_lgamma)
LZ_HALF_1(lz_bessel_j0)
LZ_HALF_1(lz_bessel_j1)
LZ_HALF_1(lz_bessel_y0)
LZ_HALF_1(lz_bessel_y1)
LZ_HALF_1(lz_bessel_i0)
LZ_HALF_1(lz_bessel_i1)
