// Short rows, each sorted on the chip: a block takes `2 * blockDim.x` elements, which are one row
// or several, each padded to a power of two. A network of comparisons, as the length is known.
// With LZ_SORT_GIVEN the input is keys already, and each has a position.

struct lz_rows_args {
    const lz_key* input;
    void* output;       // keys, or the first `count` positions of each row as i64
    lz_u64 length;
    lz_u64 rows;
    lz_u64 bits;        // a row is padded to 1 << bits
    lz_u64 count;
    const lz_u32* given;
    lz_encoding encoding;
};

extern "C" __global__ void __launch_bounds__(1024) lz_sort_rows(lz_rows_args p) {
    LZ_DYNAMIC_SHARED(memory);
    lz_u32 thread = threadIdx.x, elements = 2 * blockDim.x, bits = lz_u32(p.bits), padded = 1u << bits;
    lz_key* keys = (lz_key*)memory;
    lz_u32* index = (lz_u32*)(keys + elements);
    lz_u64 first = lz_u64(blockIdx.x) * (elements >> bits);
    // What is not there sorts last.
    for (lz_u32 k = thread; k < elements; k += blockDim.x) {
        lz_u64 row = first + (k >> bits);
        lz_u32 column = k & (padded - 1);
        bool real = row < p.rows && column < p.length;
#ifdef LZ_SORT_GIVEN
        keys[k] = real ? p.input[row * p.length + column] : lz_key(~lz_key(0));
        index[k] = real ? p.given[row * p.length + column] : ~0u;
#else
        keys[k] = real ? lz_encode(p.input[row * p.length + column], p.encoding) : lz_key(~lz_key(0));
        if (LZ_SORT_INDEX) index[k] = real ? column : ~0u;
#endif
    }
    __syncthreads();
    for (lz_u32 size = 2; size <= padded; size <<= 1) {
        for (lz_u32 stride = size >> 1; stride > 0; stride >>= 1) {
            lz_u32 a = 2 * thread - (thread & (stride - 1)), b = a + stride;
            bool up = size == padded || !(a & size);
            lz_key x = keys[a], y = keys[b];
            bool swap;
            if (LZ_SORT_INDEX) {
                lz_u32 i = index[a], j = index[b];
                swap = (x > y || (x == y && i > j)) == up;
                if (swap) index[a] = j, index[b] = i;
            } else {
                swap = up ? x > y : x < y;
            }
            if (swap) keys[a] = y, keys[b] = x;
            // Up to a stride of 32 a warp keeps to its own 64 elements.
            lz_u32 next = stride > 1 ? stride >> 1 : size;
            if (stride > 32 || next > 32) __syncthreads();
            else __syncwarp();
        }
    }
    __syncthreads();
    lz_u32 count = lz_u32(LZ_SORT_INDEX ? p.count : p.length);
    for (lz_u32 k = thread; k < elements; k += blockDim.x) {
        lz_u64 row = first + (k >> bits);
        lz_u32 column = k & (padded - 1);
        if (row >= p.rows || column >= count) continue;
        if (LZ_SORT_INDEX) ((lz_i64*)p.output)[row * count + column] = index[k];
        else ((lz_key*)p.output)[row * count + column] = lz_decode(keys[k], p.encoding);
    }
}
