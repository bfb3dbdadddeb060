// What rendered kernels call besides the functions of the prelude: packs of elements that move
// as 16 bytes, division by numbers known at launch, and reductions over threads.

struct lz_divisor {
    unsigned int by, multiplier, shift;
};
LZ_FN int lz_div(int n, const lz_divisor& d) {
    return d.by == 1 ? n : (int)(__umulhi((unsigned int)n, d.multiplier) >> d.shift);
}
LZ_FN int lz_mod(int n, const lz_divisor& d) { return n - lz_div(n, d) * (int)d.by; }
// The place behind a place on a ring: one past the end is the first, which wrapping makes the lesser.
LZ_FN int lz_next(int n, const lz_divisor& d) {
    const unsigned int next = (unsigned int)n + 1, first = next - d.by;
    return (int)(next < first ? next : first);
}
LZ_FN long long lz_next(long long n, unsigned long long d) {
    const unsigned long long next = (unsigned long long)n + 1, first = next - d;
    return (long long)(next < first ? next : first);
}
LZ_FN long long lz_div(long long n, unsigned long long d) {
    return (long long)((unsigned long long)n / d);
}
LZ_FN long long lz_mod(long long n, unsigned long long d) {
    return (long long)((unsigned long long)n % d);
}
// The remainder of a position below twice the divisor, or three times: unsigned, what is below
// the divisor becomes the larger number by the subtraction. One instruction a turn.
LZ_FN int lz_wrap2(int n, const lz_divisor& d) {
    return (int)umin((unsigned int)n, (unsigned int)n - d.by);
}
LZ_FN long long lz_wrap2(long long n, unsigned long long d) {
    return n >= (long long)d ? n - (long long)d : n;
}
template <class N, class D> LZ_FN N lz_wrap3(N n, const D& d) { return lz_wrap2(lz_wrap2(n, d), d); }
// A bound may be a literal of a narrower type than the position.
template <class T, class L, class H> LZ_FN T lz_bounded(T at, L low, H high) {
    return at < low ? (T)low : (at > high ? (T)high : at);
}
template <class T> LZ_FN T lz_distance(T at) { return at < 0 ? -at : at; }

template <class W, class T> LZ_FN bool lz_same_words(const T& a, const T& b) {
    W x[sizeof(T) / sizeof(W)], y[sizeof(T) / sizeof(W)];
    memcpy(x, &a, sizeof(T));
    memcpy(y, &b, sizeof(T));
    bool same = true;
    for (int k = 0; k < (int)(sizeof(T) / sizeof(W)); ++k) same &= x[k] == y[k];
    return same;
}
// Whether two values are the same: a NaN is, and zeros of both signs are not.
template <class T> LZ_FN bool lz_same_bits(const T& a, const T& b) {
    if constexpr (sizeof(T) % 8 == 0) return lz_same_words<unsigned long long>(a, b);
    else if constexpr (sizeof(T) % 4 == 0) return lz_same_words<unsigned int>(a, b);
    else if constexpr (sizeof(T) % 2 == 0) return lz_same_words<unsigned short>(a, b);
    else return lz_same_words<unsigned char>(a, b);
}

// An element of a strip of K, or of its neighbours: they end where left points, and begin where right does.
// Where the loop over a strip is written out, which one it is is known when it is compiled.
template <int K, class T> LZ_FN T lz_near(const T (&own)[K], int at, const T* left, const T* right) {
    return at < 0 ? left[at] : at >= K ? right[at - K] : own[at];
}

// From the first column of a thread to one beside it, where threads lie side by side and their second
// columns behind all first ones. No column is further away than 64 threads are wide.
template <int V, int Threads> LZ_FN int lz_beside(int column) {
    const int far = column + 64 * V;
    return far % V * Threads + far / V - 64;
}

// Neighbouring elements.
template <class T, int V> struct alignas(sizeof(T) * V < 16 ? sizeof(T) * V : 16) lz_pack {
    T at[V];
};
template <class P> using lz_moved = typename lz_word<(sizeof(P) < 16 ? sizeof(P) : 16)>::type;

// Reads what the kernel does not write, past the coherent cache.
template <class P> LZ_FN P lz_fetch(const void* p) {
    typedef lz_moved<P> W;
    constexpr int count = sizeof(P) / sizeof(W);
    W words[count];
#pragma unroll
    for (int k = 0; k < count; ++k) words[k] = __ldg((const W*)p + k);
    P value;
    memcpy(&value, words, sizeof(P));
    return value;
}
// Reads what the kernel itself may write elsewhere.
template <class P> LZ_FN P lz_fetch_own(const void* p) {
    typedef lz_moved<P> W;
    constexpr int count = sizeof(P) / sizeof(W);
    W words[count];
#pragma unroll
    for (int k = 0; k < count; ++k) words[k] = ((const W*)p)[k];
    P value;
    memcpy(&value, words, sizeof(P));
    return value;
}
template <class T> LZ_FN T lz_read(const T* p) { return lz_fetch<lz_pack<T, 1>>(p).at[0]; }
template <class T> LZ_FN T lz_read_own(const T* p) { return *p; }
template <int V, class T> LZ_FN lz_pack<T, V> lz_read_pack(const T* p) {
    return lz_fetch<lz_pack<T, V>>(p);
}
template <int V, class T> LZ_FN lz_pack<T, V> lz_read_pack_own(const T* p) {
    return lz_fetch_own<lz_pack<T, V>>(p);
}
// The same at the end of an array, of which `left` elements are left.
template <int V, class T> LZ_FN lz_pack<T, V> lz_read_tail(const T* p, long long left) {
    if (left >= V) return lz_read_pack<V>(p);
    lz_pack<T, V> value = {};
#pragma unroll
    for (int k = 0; k < V; ++k) if (k < left) value.at[k] = lz_read(p + k);
    return value;
}
template <int V, class T> LZ_FN lz_pack<T, V> lz_read_tail_own(const T* p, long long left) {
    if (left >= V) return lz_read_pack_own<V>(p);
    lz_pack<T, V> value = {};
#pragma unroll
    for (int k = 0; k < V; ++k) if (k < left) value.at[k] = p[k];
    return value;
}
template <class T> LZ_FN void lz_write(T* p, const T& value) { *p = value; }
template <class T, int V> LZ_FN void lz_write_pack(T* p, const lz_pack<T, V>& value) {
    typedef lz_moved<lz_pack<T, V>> W;
    constexpr int count = sizeof(value) / sizeof(W);
    W words[count];
    memcpy(words, &value, sizeof(value));
#pragma unroll
    for (int k = 0; k < count; ++k) ((W*)p)[k] = words[k];
}
template <class T, int V>
LZ_FN void lz_write_tail(T* p, const lz_pack<T, V>& value, long long left) {
    if (left >= V) return lz_write_pack(p, value);
#pragma unroll
    for (int k = 0; k < V; ++k) if (k < left) p[k] = value.at[k];
}

// A value with its position: the fold of argmin and argmax. NaN wins over every number, and
// among equals the lower position wins. Selections instead of branches: threads rarely agree.
template <class T, class I = long long> struct lz_best {
    T value;
    I at;
};
template <class T> LZ_FN bool lz_unordered(T a) { return a != a; }
template <class B> LZ_FN B lz_better(const B& a, const B& b, bool before) {
    bool left_nan = lz_unordered(a.value), right_nan = lz_unordered(b.value);
    bool level = (a.value == b.value) | (left_nan & right_nan);
    bool left = before | (left_nan & !right_nan) | (level & (a.at < b.at));
    return B{left ? a.value : b.value, left ? a.at : b.at};
}
template <class B> LZ_FN B lz_argmin(const B& a, const B& b) {
    return lz_better(a, b, a.value < b.value);
}
template <class B> LZ_FN B lz_argmax(const B& a, const B& b) {
    return lz_better(a, b, a.value > b.value);
}
// The same for an element that comes after all that were folded: of two NaN the first stays.
template <class T, class I> LZ_FN void lz_take(lz_best<T, I>& best, T value, I at, bool behind) {
    bool wins = !behind & !lz_unordered(best.value);
    best.value = wins ? value : best.value;
    best.at = wins ? at : best.at;
}
template <class T, class I>
LZ_FN lz_best<T, I> lz_argmin_next(lz_best<T, I> best, T value, I at) {
    lz_take(best, value, at, value >= best.value);
    return best;
}
template <class T, class I>
LZ_FN lz_best<T, I> lz_argmax_next(lz_best<T, I> best, T value, I at) {
    lz_take(best, value, at, value <= best.value);
    return best;
}

// Folds over `lanes` neighbouring lanes of a warp; every lane gets the result, and since the
// folds commute, all get the same bits.
template <int lanes, class T, class F> LZ_FN T lz_fold_lanes(T value, F fold) {
#pragma unroll
    for (int k = lanes / 2; k > 0; k /= 2) value = fold(value, lz_shuffle_xor(value, k));
    return value;
}
// Folds over `lanes` neighbouring lanes in their order, for folds that do not commute; the first
// lane gets the result.
template <int lanes, class T, class F> LZ_FN T lz_fold_in_order(T value, F fold) {
#pragma unroll
    for (int k = 1; k < lanes; k *= 2) value = fold(value, lz_shuffle_down(value, k, lanes));
    return value;
}
// Folds several tiles, one behind the other, each with a value in every lane of a warp; the first
// lane gets the result. Of two neighbours each takes half of the tiles, then of four a quarter, until
// a lane has one tile; the lanes with the same tile fold it, and then the tiles are folded. The order
// of the elements stays.
template <int tiles, class T, class F> LZ_FN T lz_fold_tiles_in_order(T* values, F fold) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = tiles / 2, by = 1; half > 0; half /= 2, by *= 2) {
        const bool second = lane & by;
#pragma unroll
        for (int k = 0; k < half; ++k) {
            const T own = second ? values[k + half] : values[k];
            const T other = lz_shuffle_xor(second ? values[k] : values[k + half], by);
            values[k] = fold(second ? other : own, second ? own : other);
        }
    }
    T value = values[0];
#pragma unroll
    for (int by = tiles; by < 32; by *= 2) value = fold(value, lz_shuffle_down(value, by, 32));
#pragma unroll
    for (int by = tiles / 2; by > 0; by /= 2) value = fold(value, lz_shuffle_down(value, by, 32));
    return value;
}
// Folds what the first lanes of a block's warps hold, in their order; every thread gets the
// result. `memory` holds one value for each warp.
template <int threads, class T, class F> LZ_FN T lz_block_in_order(T value, T* memory, F fold) {
    constexpr int warps = threads / 32;
    if (threadIdx.x % 32 == 0) memory[threadIdx.x / 32] = value;
    __syncthreads();
    value = lz_fold_in_order<warps>(memory[threadIdx.x % warps], fold);
    return lz_shuffle(value, 0, warps);
}
// Folds over the threads of a block of `threads`; every thread gets the result. `memory` holds
// one value for each warp and may be used again after the next barrier.
template <int threads, class T, class F> LZ_FN T lz_fold_block(T value, T* memory, F fold) {
    if (threads <= 32) return lz_fold_lanes<threads>(value, fold);
    constexpr int warps = threads / 32;
    value = lz_fold_lanes<32>(value, fold);
    if (threadIdx.x % 32 == 0) memory[threadIdx.x / 32] = value;
    __syncthreads();
    return lz_fold_lanes<warps>(memory[threadIdx.x % warps], fold);
}
// Folds over the second axis of a block of `across` by `down` threads, each with V values; every
// thread gets the results of its column.
template <int across, int down, int V, class T, class F>
LZ_FN void lz_fold_down(T* values, T* memory, F fold) {
    T* own = memory + (threadIdx.y * across + threadIdx.x) * V;
#pragma unroll
    for (int e = 0; e < V; ++e) own[e] = values[e];
    __syncthreads();
    for (int half = down / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) {
#pragma unroll
            for (int e = 0; e < V; ++e) own[e] = fold(own[e], own[half * across * V + e]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < V; ++e) values[e] = memory[threadIdx.x * V + e];
    // The memory is the next fold's.
    __syncthreads();
}
// The same in the order of the second axis.
template <int across, int down, int V, class T, class F>
LZ_FN void lz_fold_down_in_order(T* values, T* memory, F fold) {
    T* own = memory + (threadIdx.y * across + threadIdx.x) * V;
#pragma unroll
    for (int e = 0; e < V; ++e) own[e] = values[e];
    __syncthreads();
    for (int step = 1; step < down; step *= 2) {
        if (threadIdx.y % (2 * step) == 0) {
#pragma unroll
            for (int e = 0; e < V; ++e) own[e] = fold(own[e], own[step * across * V + e]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < V; ++e) values[e] = memory[threadIdx.x * V + e];
    // The memory is the next fold's.
    __syncthreads();
}

// Waits until all blocks of a launch have come here after the same turn. Three counters take turns:
// whoever waits at one has left the one before, which is cleared for the turn after the next.
LZ_FN void lz_all_blocks(unsigned int* counters, unsigned long long turn) {
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        __threadfence();
        unsigned int* own = counters + turn % 3;
        atomicAdd(own, 1u);
        while (*(volatile unsigned int*)own < gridDim.x) {}
        __threadfence();
        if (blockIdx.x == 0) counters[(turn + 2) % 3] = 0;
    }
    __syncthreads();
}
// Leaves the counters as they were before the launch: the last block to end clears them.
LZ_FN void lz_end_blocks(unsigned int* counters) {
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        __threadfence();
        if (atomicAdd(counters + 3, 1u) == gridDim.x - 1) {
            for (int k = 0; k < 4; ++k) counters[k] = 0;
        }
    }
}
