// Special functions, CUDA's own.

#define LZ_SPECIAL

LZ_MATH_1(lz_erf, erff, erf)
LZ_MATH_1(lz_erfc, erfcf, erfc)
LZ_MATH_1(lz_erfinv, erfinvf, erfinv)
LZ_MATH_1(lz_erfcinv, erfcinvf, erfcinv)
LZ_MATH_1(lz_gamma, tgammaf, tgamma)
LZ_MATH_1(lz_lgamma, lgammaf, lgamma)
LZ_MATH_1(lz_bessel_j0, j0f, j0)
LZ_MATH_1(lz_bessel_j1, j1f, j1)
LZ_MATH_1(lz_bessel_y0, y0f, y0)
LZ_MATH_1(lz_bessel_y1, y1f, y1)
LZ_MATH_1(lz_bessel_i0, cyl_bessel_i0f, cyl_bessel_i0)
LZ_MATH_1(lz_bessel_i1, cyl_bessel_i1f, cyl_bessel_i1)
