// The first few positions of each row: from sorted rows of `length` to rows of `count`.

struct lz_first_args {
    const lz_i64* sorted;
    lz_i64* output;
    lz_u64 length;
    lz_u64 count;
    lz_u64 total;       // of the output
};

extern "C" __global__ void __launch_bounds__(256) lz_sort_first(lz_first_args p) {
    lz_u64 step = lz_u64(gridDim.x) * 256;
    for (lz_u64 k = lz_u64(blockIdx.x) * 256 + threadIdx.x; k < p.total; k += step)
        p.output[k] = p.sorted[k / p.count * p.length + k % p.count];
}
