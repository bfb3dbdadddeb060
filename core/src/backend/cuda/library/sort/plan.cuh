// Turns counts into beginnings, and finds the passes that move nothing: blocks (rows, passes).
extern "C" __global__ void __launch_bounds__(256) lz_sort_plan(lz_sort_args p) {
    for (lz_u64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        lz_u32* bins = p.bins + (blockIdx.y * p.rows + row) * lz_radix;
        lz_u32 count = bins[threadIdx.x];
        bins[threadIdx.x] = lz_scan_256(count);
        if (count > 0 && count < p.length) p.active[blockIdx.y] = 1;
    }
}
