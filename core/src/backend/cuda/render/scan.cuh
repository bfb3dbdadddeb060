// What kernels with scans call besides: scans over the lanes of a warp and the warps of a block,
// and what blocks tell each other.

// Scans K packs of V elements of each of `lanes` neighbouring lanes, in the order of packs, lanes,
// elements: each element with those before it in its pack. `before` is what lies before a pack,
// beginning with `sum`, which becomes what follows them all.
template <int lanes, int K, int V, class T, class F>
LZ_FN void lz_scan_lanes(T (&x)[K][V], T (&before)[K], T& sum, F fold) {
    const int lane = threadIdx.x % lanes;
    T all[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
#pragma unroll
        for (int e = 1; e < V; ++e) x[k][e] = fold(x[k][e - 1], x[k][e]);
        T own = x[k][V - 1];
#pragma unroll
        for (int by = 1; by < lanes; by *= 2) {
            const T other = lz_shuffle_up(own, by, lanes);
            if (lane >= by) own = fold(other, own);
        }
        before[k] = lz_shuffle_up(own, 1, lanes);
        all[k] = lz_shuffle(own, lanes - 1, lanes);
    }
#pragma unroll
    for (int k = 0; k < K; ++k) {
        before[k] = lane == 0 ? sum : fold(sum, before[k]);
        sum = fold(sum, all[k]);
    }
}
// The same over the warps of a block of `threads`, whose elements lie one warp after the other.
// `memory` holds a value for each warp; a barrier has passed since it was used last.
template <int threads, int K, int V, class T, class F>
LZ_FN void lz_scan_block(T (&x)[K][V], T (&before)[K], T& sum, T* memory, T identity, F fold) {
    constexpr int warps = threads / 32;
    T own = identity;
    lz_scan_lanes<32>(x, before, own, fold);
    if (threadIdx.x % 32 == 0) memory[threadIdx.x / 32] = own;
    __syncthreads();
    T first = sum;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
        if (w == threadIdx.x / 32) first = sum;
        sum = fold(sum, memory[w]);
    }
#pragma unroll
    for (int k = 0; k < K; ++k) before[k] = fold(first, before[k]);
}
// The results: what lies before each pack goes into its elements.
template <bool exclusive, int K, int V, class T, class F>
LZ_FN void lz_scan_finish(T (&x)[K][V], const T (&before)[K], F fold) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
        if (exclusive) {
#pragma unroll
            for (int e = V - 1; e > 0; --e) x[k][e] = fold(before[k], x[k][e - 1]);
            x[k][0] = before[k];
        } else {
#pragma unroll
            for (int e = 0; e < V; ++e) x[k][e] = fold(before[k], x[k][e]);
        }
    }
}
// Combines what the threads of a column of a block of `across` by `down` hold, V values each, in the
// order of the second axis: `values` become what all of them combine to, `before` what those before
// a thread do.
template <int across, int down, int V, class T, class F>
LZ_FN void lz_scan_down(T* values, T* before, T* memory, T identity, F fold) {
    T* const column = memory + threadIdx.x * V;
#pragma unroll
    for (int e = 0; e < V; ++e) column[threadIdx.y * across * V + e] = values[e];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < V; ++e) {
        T sum = identity;
#pragma unroll 4
        for (int k = 0; k < down; ++k) {
            if (k == threadIdx.y) before[e] = sum;
            sum = fold(sum, column[k * across * V + e]);
        }
        values[e] = sum;
    }
    // The memory is the next one's.
    __syncthreads();
}
// Folds over the lanes of a warp in their order; every lane gets the result.
template <class T, class F> LZ_FN T lz_fold_in_order(T value, F fold) {
#pragma unroll
    for (int by = 1; by < 32; by *= 2) value = fold(value, lz_shuffle_down(value, by));
    return lz_shuffle(value, 0);
}

// ---- What blocks tell each other ----

// Words as wide as the alignment allows: a state of several components may have any size.
template <int alignment> struct lz_peeked { typedef lz_u64 type; };
template <> struct lz_peeked<1> { typedef lz_u8 type; };
template <> struct lz_peeked<2> { typedef lz_u16 type; };
template <> struct lz_peeked<4> { typedef lz_u32 type; };
// Reads a value that another block may have written, past this multiprocessor's cache.
template <class T> LZ_FN T lz_peek(const T* p) {
    typedef typename lz_peeked<alignof(T)>::type W;
    constexpr int count = sizeof(T) / sizeof(W);
    W words[count];
#pragma unroll
    for (int k = 0; k < count; ++k) words[k] = ((const volatile W*)p)[k];
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
}
// Says that what this thread wrote before is there.
LZ_FN void lz_raise(lz_u32* flag) {
    __threadfence();
    *(volatile lz_u32*)flag = 1;
}
// Waits until another block has said so.
LZ_FN void lz_await(const lz_u32* flag) {
    while (*(const volatile lz_u32*)flag == 0) {}
    __threadfence();
}
// The number of this block in the order in which blocks began: every block with a lower one is at
// work or done, so that it may be waited for. Every thread of the block must call it.
LZ_FN lz_u32 lz_ticket(lz_u32* next) {
    __shared__ lz_u32 own;
    if (threadIdx.x == 0 && threadIdx.y == 0) own = atomicAdd(next, 1u);
    __syncthreads();
    return own;
}
