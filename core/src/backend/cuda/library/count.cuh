// Counting into bins. Integers are added by atomics, so that order does not matter. Weights are
// added as integers too: each is cut into two numbers of `bits` bits below the greatest weight's
// exponent, which sums of all weights cannot overflow, so that sums are exact to far below the
// rounding of the result and the same bits on every run.

struct Arguments {
    const lz_index* at;
    const double* weights;
    lz_u64* counts;
    lz_u64* high;
    lz_u64* low;
    lz_u32* odd;
    lz_u64* top;
    double* sums;
    long long n;
    int bins, bits;
};

// Calls `add(bin, element)` for every element that has a bin.
template <class F> LZ_FN void lz_each(const Arguments& a, F add) {
    const long long stride = (long long)gridDim.x * blockDim.x;
#pragma unroll 4
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += stride) {
        const lz_index at = a.at[i];
        if (at >= 0 && at < a.bins) add((int)at, i);
    }
}

extern "C" __global__ void lazuli_count(const __grid_constant__ Arguments a) {
    LZ_DYNAMIC_SHARED(memory);
    lz_u32* const own = (lz_u32*)memory;
    for (int k = threadIdx.x; k < a.bins; k += blockDim.x) own[k] = 0;
    __syncthreads();
    lz_each(a, [&](int bin, long long) { atomicAdd(own + bin, 1u); });
    __syncthreads();
    for (int k = threadIdx.x; k < a.bins; k += blockDim.x)
        if (own[k] != 0) atomicAdd((unsigned long long*)a.counts + k, (unsigned long long)own[k]);
}
extern "C" __global__ void lazuli_count_many(const __grid_constant__ Arguments a) {
    lz_each(a, [&](int bin, long long) { atomicAdd((unsigned long long*)a.counts + bin, 1ULL); });
}

LZ_FN lz_u64 lz_bits_of(double x) { return (lz_u64)__double_as_longlong(x); }
LZ_FN bool lz_is_odd(lz_u64 bits) { return (bits >> 52 & 0x7ff) == 0x7ff; }

// The greatest finite weight, as its bits without the sign.
extern "C" __global__ void lazuli_count_top(const __grid_constant__ Arguments a) {
    unsigned long long top = 0;
    lz_each(a, [&](int, long long i) {
        const lz_u64 bits = lz_bits_of(a.weights[i]) & 0x7fffffffffffffffULL;
        if (!lz_is_odd(bits) && bits > top) top = bits;
    });
    for (int by = 16; by > 0; by /= 2) {
        const unsigned long long other = lz_shuffle_xor(top, by);
        top = other > top ? other : top;
    }
    if (threadIdx.x % 32 == 0) atomicMax((unsigned long long*)a.top, top);
}
// The exponent above all weights.
LZ_FN int lz_exponent(const Arguments& a) {
    const int biased = (int)(*a.top >> 52);
    return (biased == 0 ? 1 : biased) - 1022;
}
LZ_FN void lz_weigh(const Arguments& a, double weight, int exponent, unsigned long long* high,
                    unsigned long long* low, lz_u32* odd) {
    const lz_u64 bits = lz_bits_of(weight);
    if (lz_is_odd(bits)) {
        const bool nan = (bits & 0xfffffffffffffULL) != 0;
        atomicOr(odd, nan ? 1u : bits >> 63 ? 4u : 2u);
        return;
    }
    const double scaled = scalbn(weight, a.bits - exponent), whole = floor(scaled);
    atomicAdd(high, (unsigned long long)(long long)whole);
    atomicAdd(low, (unsigned long long)(long long)floor(scalbn(scaled - whole, a.bits)));
}
extern "C" __global__ void lazuli_count_weights(const __grid_constant__ Arguments a) {
    LZ_DYNAMIC_SHARED(memory);
    unsigned long long* const high = (unsigned long long*)memory;
    unsigned long long* const low = high + a.bins;
    for (int k = threadIdx.x; k < 2 * a.bins; k += blockDim.x) high[k] = 0;
    __syncthreads();
    const int exponent = lz_exponent(a);
    lz_each(a, [&](int bin, long long i) {
        lz_weigh(a, a.weights[i], exponent, high + bin, low + bin, a.odd + bin);
    });
    __syncthreads();
    for (int k = threadIdx.x; k < a.bins; k += blockDim.x) {
        if (high[k] != 0) atomicAdd((unsigned long long*)a.high + k, high[k]);
        if (low[k] != 0) atomicAdd((unsigned long long*)a.low + k, low[k]);
    }
}
extern "C" __global__ void lazuli_count_many_weights(const __grid_constant__ Arguments a) {
    const int exponent = lz_exponent(a);
    lz_each(a, [&](int bin, long long i) {
        lz_weigh(a, a.weights[i], exponent, (unsigned long long*)a.high + bin,
                 (unsigned long long*)a.low + bin, a.odd + bin);
    });
}
extern "C" __global__ void lazuli_count_finish(const __grid_constant__ Arguments a) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= a.bins) return;
    const int exponent = lz_exponent(a);
    long long high = (long long)a.high[k], low = (long long)a.low[k];
    high += low >> a.bits;
    low &= (1LL << a.bits) - 1;
    double sum = scalbn((double)high + scalbn((double)low, -a.bits), exponent - a.bits);
    const lz_u32 odd = a.odd[k];
    if (odd == 2) sum = lz_infinity<double>();
    if (odd == 4) sum = -lz_infinity<double>();
    if ((odd & 1) != 0 || odd == 6) sum = lz_nan<double>();
    a.sums[k] = sum;
}
