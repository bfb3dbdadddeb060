// Indices counted from the beginning of an axis; the first that is out of range is noted.

struct lz_check_args {
    const lz_i64* indices;
    lz_i64* output;
    lz_u64* bad;
    lz_u64 length;
    lz_u64 count;
};

extern "C" __global__ void __launch_bounds__(256) lz_check_positions(lz_check_args p) {
    lz_u64 step = lz_u64(gridDim.x) * 256;
    for (lz_u64 k = lz_u64(blockIdx.x) * 256 + threadIdx.x; k < p.count; k += step) {
        lz_i64 index = p.indices[k];
        if (index < 0) index += lz_i64(p.length);
        bool inside = index >= 0 && index < lz_i64(p.length);
        if (!inside) atomicMin(p.bad, k);
        p.output[k] = inside ? index : 0;
    }
}
