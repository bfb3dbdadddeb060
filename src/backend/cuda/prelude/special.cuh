// Special functions: CUDA's own, but for Bessel functions of large arguments.

LZ_MATH_1(lz_erf, erff, erf)
LZ_MATH_1(lz_erfc, erfcf, erfc)
LZ_MATH_1(lz_erfinv, erfinvf, erfinv)
LZ_MATH_1(lz_erfcinv, erfcinvf, erfcinv)
LZ_MATH_1(lz_gamma, tgammaf, tgamma)
LZ_MATH_1(lz_lgamma, lgammaf, lgamma)
LZ_MATH_1(lz_bessel_i0, cyl_bessel_i0f, cyl_bessel_i0)
LZ_MATH_1(lz_bessel_i1, cyl_bessel_i1f, cyl_bessel_i1)

// CUDA's double j0, j1, y0 and y1 keep an absolute error of 5e-12 above 8. Hankel's asymptotic
// expansion (Abramowitz and Stegun 9.2.5 to 9.2.10) is exact to rounding from 16 on.

// The sums P and Q of the expansion for the order whose square, times 4, is `mu`.
template <int mu> __device__ inline void lz_hankel(double x, double& p, double& q) {
    const double inverse = 1.0 / x;
    double term = 1.0;
    p = 1.0;
    q = 0.0;
#pragma unroll
    for (int k = 1; k <= 32; ++k) {
        term *= inverse * ((double)(mu - (2 * k - 1) * (2 * k - 1)) / (8.0 * k));
        if (k % 4 == 1) q += term;
        else if (k % 4 == 2) p -= term;
        else if (k % 4 == 3) q -= term;
        else p += term;
    }
}

// `a * cos(x - phase) + b * sin(x - phase)` of the expansion for x >= 16; 0 at infinity.
template <int order, bool second> __device__ inline double lz_bessel_large(double x) {
    if (isinf(x)) return 0.0;
    double p, q, s, c;
    lz_hankel<4 * order * order>(x, p, q);
    sincos(x, &s, &c);
    // The cosine and the sine of x - pi/4 (order 0) or x - 3 pi/4 (order 1), times sqrt(2).
    const double u = order == 0 ? c + s : s - c;
    const double v = order == 0 ? s - c : -(s + c);
    return sqrt(0.31830988618379067 / x) * (second ? p * v + q * u : p * u - q * v);
}

__device__ inline float lz_bessel_j0(float x) { return j0f(x); }
__device__ inline float lz_bessel_j1(float x) { return j1f(x); }
__device__ inline float lz_bessel_y0(float x) { return y0f(x); }
__device__ inline float lz_bessel_y1(float x) { return y1f(x); }
__device__ inline double lz_bessel_j0(double x) {
    return fabs(x) < 16.0 || isnan(x) ? j0(x) : lz_bessel_large<0, false>(fabs(x));
}
__device__ inline double lz_bessel_j1(double x) {
    return fabs(x) < 16.0 || isnan(x) ? j1(x) : copysign(1.0, x) * lz_bessel_large<1, false>(fabs(x));
}
__device__ inline double lz_bessel_y0(double x) {
    return x < 16.0 || isnan(x) ? y0(x) : lz_bessel_large<0, true>(x);
}
__device__ inline double lz_bessel_y1(double x) {
    return x < 16.0 || isnan(x) ? y1(x) : lz_bessel_large<1, true>(x);
}
