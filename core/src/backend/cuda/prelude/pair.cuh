// Numbers in two parts, of some 100 bits, and the functions that need them near their roots. The
// processor's text is math/double/logsum.rs.

struct lz_pair { double hi, lo; };
LZ_FN lz_pair lz_two_sum(double a, double b) {
    const double s = a + b, v = s - a;
    return {s, (a - (s - v)) + (b - v)};
}
// The same where a is zero or no smaller than b.
LZ_FN lz_pair lz_fast_two_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
}
LZ_FN lz_pair lz_pair_add(lz_pair a, lz_pair b) {
    lz_pair s = lz_two_sum(a.hi, b.hi), t = lz_two_sum(a.lo, b.lo);
    s = lz_fast_two_sum(s.hi, s.lo + t.hi);
    return lz_fast_two_sum(s.hi, s.lo + t.lo);
}
LZ_FN lz_pair lz_pair_multiply(lz_pair a, lz_pair b) {
    const double p = a.hi * b.hi;
    return lz_fast_two_sum(p, fma(a.hi, b.hi, -p) + fma(a.hi, b.lo, a.lo * b.hi));
}

// 1 / k! for k from 14 down to 9, then from 8 down to 1 in two parts.
static __constant__ double lz_factorial_constants[22] = {
    1.1470745597729725e-11, 1.6059043836821613e-10, 2.08767569878681e-9, 2.505210838544172e-8,
    2.755731922398589e-7, 2.7557319223985893e-6,
    2.48015873015873e-5, 2.1511947866775882e-23, 0.0001984126984126984, 1.7209558293420705e-22,
    0.001388888888888889, -5.300543954373577e-20, 0.008333333333333333, 1.1564823173178714e-19,
    0.041666666666666664, 2.3129646346357427e-18, 0.16666666666666666, 9.25185853854297e-18,
    0.5, 0.0, 1.0, 0.0};
// e^r - 1 and n with x = n·ln 2 + r, |r| <= ln 2 / 2.
LZ_FN lz_pair lz_pair_exp_m1(lz_pair x, double& n) {
    const double* c = lz_factorial_constants;
    n = rint(x.hi * 1.4426950408889634);
    // ln 2 in three parts, of which the product with the first is exact.
    const double part = 1.9082149292705877e-10, p = n * part;
    const lz_pair near = lz_two_sum(fma(-n, 0.6931471803691238, x.hi), -p);
    const lz_pair r = lz_pair_add(near, {x.lo, -fma(n, part, -p) - n * 1.1612227229362532e-26});
    // The series of a sixteenth, which is then doubled four times: e^2t - 1 = m·(m + 2).
    const lz_pair t = {r.hi * 0.0625, r.lo * 0.0625};
    lz_pair m = {c[0], 0.0};
    for (int k = 1; k < 6; ++k) m.hi = fma(m.hi, t.hi, c[k]);
    for (int k = 6; k < 22; k += 2) m = lz_pair_add(lz_pair_multiply(m, t), {c[k], c[k + 1]});
    m = lz_pair_multiply(m, t);
    for (int k = 0; k < 4; ++k) m = lz_pair_multiply(m, lz_pair_add(m, {2.0, 0.0}));
    return m;
}
// log(1 + (e^x - 1) + e^y) for negative x, and y below x.
LZ_FN double lz_logaddexp_near_zero(lz_pair x, lz_pair y) {
    double n;
    lz_pair m = lz_pair_exp_m1(x, n);
    double scale = exp2(n);
    const lz_pair less = lz_pair_add({scale - 1.0, 0.0}, {m.hi * scale, m.lo * scale});
    m = lz_pair_add({1.0, 0.0}, lz_pair_exp_m1(y, n));
    scale = exp2(n);
    const lz_pair s = lz_pair_add(less, {m.hi * scale, m.lo * scale});
    return log1p(s.hi) + s.lo / (1.0 + s.hi);
}

// How far two numbers lie apart, and what that was rounded by, unless they lie so far apart that
// it does not count.
template <class F> LZ_FN F lz_apart(F top, F low, F& lo) {
    const F d = top - low, v = d - top;
    lo = d < F(1e4) ? (top - (d - v)) - (low + v) : F(0);
    return d;
}
// Where the larger number is nearly the result's opposite, digits are lost: the sum is taken in
// pairs. Twice a power of two is exact.
template <class F> LZ_FN F lz_logaddexp_of(F a, F b) {
    const F top = a > b ? a : b, low = a > b ? b : a;
    F lo;
    const F d = lz_apart(top, low, lo), e = lz_exp(-d);
    const F r = a == b ? a + F(0.693147180559945309417232121458176568) : top + lz_ln_1p(e - e * lo);
    if (!(F(2) * lz_abs(r) < -top)) return r;
    return F(lz_logaddexp_near_zero({double(top), 0.0}, {double(low), 0.0}));
}
template <class F> LZ_FN F lz_logaddexp2_of(F a, F b) {
    if (a == b) return a + F(1);
    const F top = a > b ? a : b, low = a > b ? b : a;
    F lo;
    const F d = lz_apart(top, low, lo), e = lz_exp2(-d);
    const F small = lz_ln_1p(e - e * (lo * F(0.693147180559945309417232121458176568)));
    const F r = top + small * F(1.442695040888963407359924681001892137);
    if (!(F(2) * lz_abs(r) < -top)) return r;
    const lz_pair ln2 = {0.6931471805599453, 2.3190468138462996e-17};
    const lz_pair x = lz_pair_multiply({double(top), 0.0}, ln2), y = lz_pair_multiply({double(low), 0.0}, ln2);
    return F(lz_logaddexp_near_zero(x, y) * 1.4426950408889634);
}
LZ_OF_2(lz_logaddexp)
LZ_OF_2(lz_logaddexp2)
