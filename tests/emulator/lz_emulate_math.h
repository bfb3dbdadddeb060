// The built-in functions of the device that the C library does not have.
#pragma once

template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline void __stcg(T* p, T value) { *p = value; }
template <class T> inline void __stcs(T* p, T value) { *p = value; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline float __fdividef(float a, float b) { return a / b; }
// Newer C libraries have functions of these names, so ours go by others.
#define rsqrtf lz_emulated_rsqrtf
#define rsqrt lz_emulated_rsqrt
#define sinpi lz_emulated_sinpi
#define sinpif lz_emulated_sinpif
#define cospi lz_emulated_cospi
#define cospif lz_emulated_cospif
#define erfinv lz_emulated_erfinv
#define erfinvf lz_emulated_erfinvf
#define erfcinv lz_emulated_erfcinv
#define erfcinvf lz_emulated_erfcinvf
#define cyl_bessel_i0 lz_emulated_bessel_i0
#define cyl_bessel_i0f lz_emulated_bessel_i0f
#define cyl_bessel_i1 lz_emulated_bessel_i1
#define cyl_bessel_i1f lz_emulated_bessel_i1f

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }

template <class To, class From> inline To lz_emulated_bits(From x) {
    To to;
    memcpy(&to, &x, sizeof(To));
    return to;
}
inline int __float_as_int(float x) { return lz_emulated_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return lz_emulated_bits<unsigned>(x); }
inline float __int_as_float(int x) { return lz_emulated_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return lz_emulated_bits<float>(x); }
inline long long __double_as_longlong(double x) { return lz_emulated_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return lz_emulated_bits<double>(x); }

// ---- The device's estimates: some twenty bits, and nothing subnormal goes in or comes out ----

inline double lz_emulated_flushed(double x) { return fabs(x) < 0x1p-1022 ? copysign(0.0, x) : x; }
inline float lz_emulated_flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }
inline double lz_emulated_estimate(double x) {
    return lz_emulated_bits<double>(lz_emulated_bits<long long>(x) & ~0xffffffffll);
}
inline double lz_emulated_lz_estimate_reciprocal(double b) {
    return lz_emulated_flushed(lz_emulated_estimate(1.0 / lz_emulated_flushed(b)));
}
inline double lz_emulated_lz_estimate_reciprocal_root(double x) {
    return lz_emulated_estimate(1.0 / sqrt(lz_emulated_flushed(x)));
}
inline float lz_emulated_lz_estimate_reciprocal(float b) {
    return lz_emulated_flushed(1.0f / lz_emulated_flushed(b));
}
inline float lz_emulated_lz_estimate_reciprocal_root(float x) { return 1.0f / sqrtf(lz_emulated_flushed(x)); }

// ---- Halves, rounded to nearest even ----

inline float lz_emulated_from_f16(unsigned short h) {
    unsigned sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
    if (magnitude >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    // Subnormal or not: the value is the integer times 2^-24 below 2^-14.
    float x = magnitude < 0x400u ? (float)magnitude * 0x1p-24f : __uint_as_float((magnitude << 13) + 0x38000000u);
    return copysignf(x, sign ? -1.0f : 1.0f);
}
inline unsigned short lz_emulated_to_f16(float x) {
    unsigned bits = __float_as_uint(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7fff;
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
    // Adding 0.5 rounds to multiples of 2^-24, the subnormals' step.
    if (magnitude < 0x38800000u) return sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u);
    magnitude += 0xfffu + (magnitude >> 13 & 1u);
    return sign | ((magnitude - 0x38000000u) >> 13);
}
inline float lz_emulated_round_to_odd(double x) {
    float y = (float)x;
    if (x != x) return y;
    if (fabs((double)y) > fabs(x)) y = nextafterf(y, 0.0f);
    return (double)y == x ? y : __uint_as_float(__float_as_uint(y) | 1u);
}

// ---- Special functions ----

inline double sinpi(double x) {
    double r = fmod(x, 2.0);
    if (r == trunc(r)) return r != r ? r : copysign(0.0, x);
    return sin(3.14159265358979323846 * r);
}
inline float sinpif(float x) { return (float)sinpi(x); }
inline double cospi(double x) { return sinpi(fabs(x) + 0.5); }
inline float cospif(float x) { return (float)cospi(x); }

inline double lz_emulated_erfinv_small(double x) {
    double y = x * 0.88622692545275801365;
    for (int i = 0; i < 4; ++i) y -= (erf(y) - x) / (1.12837916709551257390 * exp(-y * y));
    return y;
}
// Halley's steps on erfc, from a rational first guess.
inline double erfcinv(double q) {
    if (!(q > 0.0 && q < 2.0)) return q == 0.0 ? HUGE_VAL : q == 2.0 ? -HUGE_VAL : NAN;
    if (q >= 0.5 && q <= 1.5) return lz_emulated_erfinv_small(1.0 - q);
    double p = q < 1.0 ? q : 2.0 - q, t = sqrt(-2.0 * log(0.5 * p));
    double x = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
    for (int i = 0; i < 3; ++i) {
        double error = erfc(x) - p;
        x += error / (1.12837916709551257390 * exp(-x * x) - x * error);
    }
    return q < 1.0 ? x : -x;
}
inline double erfinv(double x) {
    if (fabs(x) > 0.5) return copysign(erfcinv(1.0 - fabs(x)), x);
    return lz_emulated_erfinv_small(x);
}
inline float erfinvf(float x) { return (float)erfinv(x); }
inline float erfcinvf(float x) { return (float)erfcinv(x); }

// The power series: all terms are positive, so it is precise wherever it ends.
inline double lz_emulated_bessel_i(int order, double x) {
    double quarter = 0.25 * x * x, term = 1.0, sum = 1.0;
    if (!(quarter < HUGE_VAL)) return x != x ? x : HUGE_VAL;
    for (int k = 1; term > 1e-18 * sum && sum < HUGE_VAL; ++k) sum += term *= quarter / ((double)k * (k + order));
    return sum;
}
inline double cyl_bessel_i0(double x) { return lz_emulated_bessel_i(0, x); }
inline double cyl_bessel_i1(double x) { return 0.5 * x * lz_emulated_bessel_i(1, fabs(x)); }
inline float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0(x); }
inline float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1(x); }
