// Counts the digits of all passes in one read: blocks (chunks, rows).
constexpr lz_u32 lz_count_items = 16;
extern "C" __global__ void __launch_bounds__(256) lz_sort_count(lz_sort_args p) {
    constexpr lz_u32 most = sizeof(lz_key);
    __shared__ lz_u32 bins[most * lz_radix];
    for (lz_u32 i = threadIdx.x; i < most * lz_radix; i += 256) bins[i] = 0;
    __syncthreads();
    for (lz_u64 row = blockIdx.y; row < p.rows; row += gridDim.y) {
        const lz_key* input = p.input + row * p.length;
        lz_u64 step = lz_u64(gridDim.x) * 256 * lz_count_items;
        for (lz_u64 at = lz_u64(blockIdx.x) * 256 * lz_count_items; at < p.length; at += step) {
            lz_key keys[lz_count_items];
            #pragma unroll
            for (lz_u32 i = 0; i < lz_count_items; ++i) {
                lz_u64 k = at + i * 256 + threadIdx.x;
                if (k < p.length) keys[i] = input[k];
            }
            #pragma unroll
            for (lz_u32 i = 0; i < lz_count_items; ++i) {
                if (at + i * 256 + threadIdx.x >= p.length) break;
                lz_key key = lz_encode(keys[i], p.encoding);
                #pragma unroll
                for (lz_u32 pass = 0; pass < most; ++pass)
                    if (pass < p.passes) atomicAdd(&bins[pass * lz_radix + lz_digit(key, 8 * pass)], 1u);
            }
        }
        __syncthreads();
        for (lz_u32 i = threadIdx.x; i < p.passes * lz_radix; i += 256) {
            lz_u32 count = bins[i];
            bins[i] = 0;
            if (count > 0) atomicAdd(&p.bins[((i / lz_radix) * p.rows + row) * lz_radix + i % lz_radix], count);
        }
        __syncthreads();
    }
}
