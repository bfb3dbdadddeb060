// parallel x0 < n0
// reduce x1 < n1
// schedule: columns, 32-bit indices
struct Arguments {
    const lz_f64* in0;
    const lz_f64* in1;
    lz_f64* out0;
    lz_divisor tiles;
    int n0;
    int n1;
    int o0;
    lz_divisor d0;
    int c0;
    int o2;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_multiply_sum(const __grid_constant__ Arguments a) {
    const int tile = lz_mod((int)blockIdx.x, a.tiles);
    int outer = lz_div((int)blockIdx.x, a.tiles);
    int x0 = (tile * 256 + (int)threadIdx.x);
    const bool active = x0 < a.n0;
    if (!active) x0 = a.n0 - 1;
    lz_f64 fold4 = 0.0;
#pragma unroll 4
    for (int x1 = 0; x1 < a.n1; x1 += 1) {
        int v0 = lz_wrap3(x0 + x1 + a.o0, a.d0);
        const lz_f64 v1 = lz_read(a.in0 + (v0));
        const lz_f64 v2 = lz_read(a.in1 + (x1 * a.c0 + a.o2));
        const lz_f64 v3 = lz_multiply(v1, v2);
        fold4 = lz_add(fold4, v3);
    }
    if (active) {
        lz_write(a.out0 + (x0), fold4);
    }
}
