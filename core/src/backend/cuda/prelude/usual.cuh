// Functions for usual arguments: a quotient, a root or a logarithm is a few operations where
// neither arguments nor result are infinite, no numbers, or near the ends of what a type holds, zero
// among them but for some that are said below, and takes a branch to find that out. Here the branches are left out, and whether all
// arguments so far were usual is noted. The code of an item has no branches then, the compiler can
// lay the computations of its positions side by side, and one branch at its end computes it again,
// by the functions of the other parts, where something was not usual. For usual arguments the
// results are the same bits.
//
// Users' functions are compiled once more as members, so that what they call is found here first.
// A constant that is compared with is one-sided where an argument beyond the other side gives a
// result that is found out as well: NaN compares as false.
struct lz_usual {
    bool all = true;

#define LZ_USUAL_1(name)                                                                         \
    template <class A> LZ_FN auto name(A a) { return ::name(a); }
#define LZ_USUAL_2(name)                                                                         \
    template <class A, class B> LZ_FN auto name(A a, B b) { return ::name(a, b); }
    LZ_USUAL_2(lz_divide)
    LZ_USUAL_1(lz_reciprocal)
    LZ_USUAL_1(lz_sqrt)
    LZ_USUAL_1(lz_exp)
    LZ_USUAL_1(lz_ln)
    LZ_USUAL_2(lz_atan2)

    // Quotients and roots are rounded correctly: Newton's steps, and then a remainder that is exact
    // (P. Markstein, Computation of elementary functions on the IBM RISC System/6000 processor,
    // 1990). The remainder of a is exact from 2^-969 on, and that of x from 2^-970. What the estimate
    // of a reciprocal leaves of 1 is small, unless the divisor is such that there is no estimate.
    LZ_FN double lz_divide(double a, double b) {
        const double r = this->lz_reciprocal(b);
        double q = a * r;
        q = fma(r, fma(-b, q, a), q);
        all &= lz_size(a) >= __int_as_float(0x03600000);
        all &= lz_size(q) >= __int_as_float(0x00800000);
        return q;
    }
    LZ_FN double lz_reciprocal(double b) {
        const double r = lz_near_reciprocal(b), e = fma(-b, r, 1.0);
        all &= lz_size(e) < __int_as_float(0x3eb00000);
        return fma(r, e, r);
    }
    LZ_FN double lz_sqrt(double x) {
        double r = lz_estimate_reciprocal_root(x);
        const double e = fma(x, -(r * r), 1.0);
        r = fma(fma(e, 0.375, 0.5), e * r, r);
        const double s = x * r, half = __longlong_as_double(__double_as_longlong(r) - (1ll << 52));
        all &= lz_size(s) >= __int_as_float(0x21a00000);
        return fma(fma(s, -s, x), half, s);
    }
    // Far below zero, from -746 to the least number, the exponential is 0: what decays does so.
    LZ_FN double lz_exp(double x) {
        int power;
        const double p = lz_exp_reduced(x, power);
        const bool is_zero = (unsigned)lz_high(x) - 0xc0875000u < 0x3f68b000u;
        all &= lz_exp_is_usual(x) | is_zero;
        return is_zero ? 0.0 : lz_exp_scaled(p, power);
    }
    // Logarithms of zero are met where something is counted.
    template <class F> LZ_FN F lz_ln_or_infinite(F x) {
        const bool is_zero = x == F(0);
        all &= lz_is_positive_normal(x) | is_zero;
        return is_zero ? -lz_infinity<F>() : lz_ln_normal(x, 0);
    }
    LZ_FN double lz_ln(double x) { return lz_ln_or_infinite(x); }
    LZ_FN float lz_ln(float x) { return lz_ln_or_infinite(x); }

    LZ_FN double lz_atan2(double y, double x) {
        all &= lz_atan2_is_usual(y, x);
        return lz_atan2_usual(y, x);
    }

#ifndef LZ_FAST
    // Of floats a remainder is exact from 2^-100 on. With a reciprocal that is rounded correctly one
    // correction is enough: a second one changed the quotient of no pair of significands, of all
    // 2^46.
    LZ_FN float lz_divide(float a, float b) {
        float r = lz_estimate_reciprocal(b);
        r = fmaf(fmaf(-b, r, 1.0f), r, r);
        float q = a * r;
        q = fmaf(fmaf(-b, q, a), r, q);
        all &= fabsf(a) >= 7.888609052210118e-31f;
        all &= fabsf(q) >= 1.1754943508222875e-38f;
        return q;
    }
    LZ_FN float lz_reciprocal(float b) {
        float r = lz_estimate_reciprocal(b);
        r = fmaf(fmaf(-b, r, 1.0f), r, r);
        all &= fabsf(r) >= 1.1754943508222875e-38f;
        return r;
    }
    LZ_FN float lz_sqrt(float x) {
        const float r = lz_estimate_reciprocal_root(x);
        const float s = x * r;
        // From 2^-100 to the greatest number.
        all &= (unsigned)(__float_as_int(x) - 0x0d800000) < 0x72000000u;
        return fmaf(fmaf(-s, s, x), 0.5f * r, s);
    }
#endif
};

// The same number, of which the compiler does not know so: what is computed anew from it is not kept
// from before.
LZ_FN int lz_again(int x) {
#ifndef LZ_EMULATE
    asm volatile("mov.b32 %0, %0;" : "+r"(x));
#endif
    return x;
}
LZ_FN long long lz_again(long long x) {
#ifndef LZ_EMULATE
    asm volatile("mov.b64 %0, %0;" : "+l"(x));
#endif
    return x;
}
