// What every kernel begins with: types, conversions, and access to memory. It needs no header
// under NVRTC. Under LZ_EMULATE the tests' emulator compiles it for the processor and supplies
// what CUDA has built in.

#ifdef LZ_EMULATE
#define LZ_FN inline
#define LZ_DYNAMIC_SHARED(name) unsigned char* name = lz_emulated_dynamic_shared()
#define LZ_ASSUME(holds) ((holds) ? void() : __builtin_trap())
#else
#define LZ_FN __device__ __forceinline__
// What holds, and the compiler cannot see.
#define LZ_ASSUME(holds) __builtin_assume(holds)
// The block's dynamic shared memory as bytes, aligned for every type.
#define LZ_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

typedef bool lz_bool;
typedef signed char lz_i8;
typedef short lz_i16;
typedef int lz_i32;
typedef long long lz_i64;
typedef unsigned char lz_u8;
typedef unsigned short lz_u16;
typedef unsigned int lz_u32;
typedef unsigned long long lz_u64;
typedef float lz_f32;
typedef double lz_f64;

// IEEE half and bfloat16. Values are computed in f32 and rounded after every operation.
struct lz_f16 { lz_u16 bits; };
struct lz_bf16 { lz_u16 bits; };

template <class T> struct alignas(2 * sizeof(T)) lz_complex { T re, im; };
typedef lz_complex<float> lz_c64;
typedef lz_complex<double> lz_c128;

// The results of a user's function that has several.
template <class... T> struct lz_tuple;
template <class T0, class T1> struct lz_tuple<T0, T1> { T0 _0; T1 _1; };
template <class T0, class T1, class T2> struct lz_tuple<T0, T1, T2> { T0 _0; T1 _1; T2 _2; };
template <class T0, class T1, class T2, class T3> struct lz_tuple<T0, T1, T2, T3> { T0 _0; T1 _1; T2 _2; T3 _3; };
template <class T0, class T1, class T2, class T3, class T4> struct lz_tuple<T0, T1, T2, T3, T4> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; };
template <class T0, class T1, class T2, class T3, class T4, class T5> struct lz_tuple<T0, T1, T2, T3, T4, T5> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; };
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6> struct lz_tuple<T0, T1, T2, T3, T4, T5, T6> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; T6 _6; };
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7> struct lz_tuple<T0, T1, T2, T3, T4, T5, T6, T7> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; T6 _6; T7 _7; };
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8> struct lz_tuple<T0, T1, T2, T3, T4, T5, T6, T7, T8> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; T6 _6; T7 _7; T8 _8; };
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9> struct lz_tuple<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; T6 _6; T7 _7; T8 _8; T9 _9; };
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9, class T10> struct lz_tuple<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; T6 _6; T7 _7; T8 _8; T9 _9; T10 _10; };
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9, class T10, class T11> struct lz_tuple<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11> { T0 _0; T1 _1; T2 _2; T3 _3; T4 _4; T5 _5; T6 _6; T7 _7; T8 _8; T9 _9; T10 _10; T11 _11; };

template <class T> constexpr bool lz_is_complex = false;
template <class T> constexpr bool lz_is_complex<lz_complex<T>> = true;
template <class T> constexpr bool lz_is_half = false;
template <> constexpr bool lz_is_half<lz_f16> = true;
template <> constexpr bool lz_is_half<lz_bf16> = true;
template <class T> constexpr bool lz_is_float = false;
template <> constexpr bool lz_is_float<float> = true;
template <> constexpr bool lz_is_float<double> = true;
template <class A, class B> constexpr bool lz_same = false;
template <class A> constexpr bool lz_same<A, A> = true;

// The component of a complex type, else the type itself.
template <class T> struct lz_real_of { typedef T type; };
template <class T> struct lz_real_of<lz_complex<T>> { typedef T type; };
template <class T> using lz_real_t = typename lz_real_of<T>::type;

// The unsigned type in which integers wrap: at least 32 bits, so that nothing is promoted to a
// signed type in which overflow would be undefined.
template <int bytes> struct lz_wrapping { typedef lz_u32 type; };
template <> struct lz_wrapping<8> { typedef lz_u64 type; };
template <class T> using lz_wrap_t = typename lz_wrapping<sizeof(T)>::type;
// The unsigned type of the same width.
template <int bytes> struct lz_unsigned { typedef lz_u8 type; };
template <> struct lz_unsigned<2> { typedef lz_u16 type; };
template <> struct lz_unsigned<4> { typedef lz_u32 type; };
template <> struct lz_unsigned<8> { typedef lz_u64 type; };
template <class T> using lz_unsigned_t = typename lz_unsigned<sizeof(T)>::type;

template <class T> constexpr bool lz_is_signed = T(-1) < T(0);
// The limits of an integer type.
template <class T> constexpr T lz_highest = T(lz_is_signed<T>
    ? lz_unsigned_t<T>(~lz_unsigned_t<T>(0)) >> 1 : lz_unsigned_t<T>(~lz_unsigned_t<T>(0)));
template <class T> constexpr T lz_lowest = lz_is_signed<T> ? T(-lz_highest<T> - 1) : T(0);

template <class To, class From> LZ_FN To lz_bitcast(From x) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    memcpy(&to, &x, sizeof(To));
    return to;
}

template <class T> LZ_FN T lz_infinity();
template <> LZ_FN float lz_infinity<float>() { return lz_bitcast<float>(0x7f800000u); }
template <> LZ_FN double lz_infinity<double>() { return lz_bitcast<double>(0x7ff0000000000000ull); }
template <class T> LZ_FN T lz_nan();
template <> LZ_FN float lz_nan<float>() { return lz_bitcast<float>(0x7fc00000u); }
template <> LZ_FN double lz_nan<double>() { return lz_bitcast<double>(0x7ff8000000000000ull); }
#ifndef LZ_EMULATE
#define INFINITY lz_infinity<float>()
#define NAN lz_nan<float>()
#endif

// ---- Halves ----

#ifdef LZ_EMULATE
LZ_FN float lz_to_f32(lz_f16 h) { return lz_emulated_from_f16(h.bits); }
LZ_FN lz_f16 lz_round_f16(float x) { return lz_f16{lz_emulated_to_f16(x)}; }
LZ_FN float lz_round_to_odd(double x) { return lz_emulated_round_to_odd(x); }
#else
LZ_FN float lz_to_f32(lz_f16 h) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits));
    return x;
}
LZ_FN lz_f16 lz_round_f16(float x) {
    lz_f16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
    return h;
}
// Rounding to odd keeps enough of a double for the next rounding to be right.
LZ_FN float lz_round_to_odd(double x) {
    float y = __double2float_rz(x);
    return double(y) == x || x != x ? y : lz_bitcast<float>(lz_bitcast<lz_u32>(y) | 1u);
}
#endif
LZ_FN float lz_to_f32(lz_bf16 h) { return lz_bitcast<float>(lz_u32(h.bits) << 16); }
LZ_FN lz_bf16 lz_round_bf16(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    lz_bf16 h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
    return h;
#else
    lz_u32 u = lz_bitcast<lz_u32>(x);
    if (x != x) return lz_bf16{0x7fff};
    return lz_bf16{lz_u16((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
#endif
}
// The nearest half of a float.
template <class H> LZ_FN H lz_round_to(float x) {
    if constexpr (lz_same<H, lz_f16>) return lz_round_f16(x);
    else return lz_round_bf16(x);
}

// ---- Conversions, as Rust's `as` does them ----

// An integer in an integer type, wrapped. What has fewer than 32 bits is made by an instruction that
// the compiler does not look into: it loses narrowings where it combines them with what follows. An
// int64 cast to int8, negated and cast to uint16 kept 16 bits of the first (NVRTC 13.0.88), and of
// -128 the assembler made 128. So every result in a narrow type comes from here.
#ifdef LZ_EMULATE
template <class T, class F> LZ_FN T lz_narrow(F x) { return T(x); }
#else
template <class T, class F> LZ_FN T lz_narrow(F x) {
    if constexpr (sizeof(T) < 4 && !lz_same<T, bool>) {
        lz_u32 y;
        if constexpr (sizeof(T) == 1 && lz_is_signed<T>) asm("cvt.s32.s8 %0, %1;" : "=r"(y) : "r"(lz_u32(x)));
        else if constexpr (sizeof(T) == 1) asm("cvt.u32.u8 %0, %1;" : "=r"(y) : "r"(lz_u32(x)));
        else if constexpr (lz_is_signed<T>) asm("cvt.s32.s16 %0, %1;" : "=r"(y) : "r"(lz_u32(x)));
        else asm("cvt.u32.u16 %0, %1;" : "=r"(y) : "r"(lz_u32(x)));
        return T(y);
    } else {
        return T(x);
    }
}
#endif

// Float to integer: towards zero, held at the limits, NaN to 0.
template <class To, class From> LZ_FN To lz_saturate(From x) {
    constexpr int bits = 8 * sizeof(To) - (lz_is_signed<To> ? 1 : 0);
    constexpr From above = From(1ull << (bits - 1)) * From(2);
    if (x >= above) return lz_highest<To>;
    if constexpr (lz_is_signed<To>) {
        if (x < -above) return lz_lowest<To>;
    } else {
        if (x < From(0)) return To(0);
    }
    if constexpr (sizeof(To) < 4) return x == x ? lz_narrow<To>(lz_i32(x)) : To(0);
    else return x == x ? To(x) : To(0);
}

// Any element type to any other: bool is "not zero", a complex number gives its real part.
template <class To, class From> LZ_FN To lz_cast(From x) {
    if constexpr (lz_same<To, From>) {
        return x;
    } else if constexpr (lz_is_complex<To>) {
        typedef lz_real_t<To> R;
        if constexpr (lz_is_complex<From>) return To{lz_cast<R>(x.re), lz_cast<R>(x.im)};
        else return To{lz_cast<R>(x), R(0)};
    } else if constexpr (lz_is_complex<From>) {
        if constexpr (lz_same<To, bool>) return x.re != 0 || x.im != 0;
        else return lz_cast<To>(x.re);
    } else if constexpr (lz_is_half<From>) {
        return lz_cast<To>(lz_to_f32(x));
    } else if constexpr (lz_is_half<To>) {
        if constexpr (lz_same<From, float>) return lz_round_to<To>(x);
        else return lz_round_to<To>(lz_round_to_odd(double(x)));
    } else if constexpr (lz_same<To, bool>) {
        return x != From(0);
    } else if constexpr (lz_is_float<From> && !lz_is_float<To>) {
        return lz_saturate<To>(x);
    } else if constexpr (lz_is_float<To>) {
        return To(x);
    } else {
        return lz_narrow<To>(x);
    }
}

// ---- Memory ----

template <class T, int N> struct alignas(sizeof(T) * N) lz_vec { T v[N]; };

// The word type that moves a given number of bytes in one instruction.
template <int bytes> struct lz_word;
template <> struct lz_word<1> { typedef lz_u8 type; };
template <> struct lz_word<2> { typedef lz_u16 type; };
template <> struct lz_word<4> { typedef lz_u32 type; };
template <> struct lz_word<8> { typedef uint2 type; };
template <> struct lz_word<16> { typedef uint4 type; };

// N neighbours in one access; the address must be a multiple of the access's size.
template <int N, class T> LZ_FN lz_vec<T, N> lz_load(const T* p) {
    typedef typename lz_word<sizeof(T) * N>::type W;
    return lz_bitcast<lz_vec<T, N>>(*reinterpret_cast<const W*>(p));
}
// The same through the read-only cache: nobody may write there while the kernel runs.
template <int N, class T> LZ_FN lz_vec<T, N> lz_load_readonly(const T* p) {
    typedef typename lz_word<sizeof(T) * N>::type W;
    return lz_bitcast<lz_vec<T, N>>(__ldg(reinterpret_cast<const W*>(p)));
}
// The same for what is read once: it gives way first in the caches.
template <int N, class T> LZ_FN lz_vec<T, N> lz_load_streaming(const T* p) {
    typedef typename lz_word<sizeof(T) * N>::type W;
    return lz_bitcast<lz_vec<T, N>>(__ldcs(reinterpret_cast<const W*>(p)));
}
template <int N, class T> LZ_FN void lz_store(T* p, lz_vec<T, N> x) {
    typedef typename lz_word<sizeof(T) * N>::type W;
    *reinterpret_cast<W*>(p) = lz_bitcast<W>(x);
}
template <int N, class T> LZ_FN void lz_store_streaming(T* p, lz_vec<T, N> x) {
    typedef typename lz_word<sizeof(T) * N>::type W;
    __stcs(reinterpret_cast<W*>(p), lz_bitcast<W>(x));
}
