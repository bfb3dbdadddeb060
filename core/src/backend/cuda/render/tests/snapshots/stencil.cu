// parallel x0 < n0
// parallel x1 < n1
// schedule: grid, 32-bit indices
struct Arguments {
    lz_f64 s0;
    const lz_f64* in0;
    lz_f64* out0;
    lz_divisor tiles;
    int n1;
    int o1;
    int high1;
    int n0;
    int o0;
    int high0;
    int c0;
    int o4;
    int o6;
    int o8;
    int o10;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_logical_and_add_multiply_select(const __grid_constant__ Arguments a) {
    const int block = blockIdx.x;
    const int tile = lz_mod(block, a.tiles);
    const int strip = lz_div(block, a.tiles);
    const int x1 = (tile * (int)blockDim.x + (int)threadIdx.x);
    const int row = (strip * (int)blockDim.y + (int)threadIdx.y) * 4;
    if (x1 >= a.n1) return;
    const lz_f64 v12 = a.s0;
    lz_bool v1 = 0 <= x1 + a.o1 && x1 + a.o1 < a.high1;
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int x0 = row + u;
        if (x0 < a.n0) {
            lz_bool v0 = 0 <= x0 + a.o0 && x0 + a.o0 < a.high0;
            lz_bool v2 = lz_logical_and(v0, v1);
            const lz_f64 v3 = lz_read(a.in0 + (x0 * a.c0 + x1));
            const lz_f64 v4 = v2 ? lz_read(a.in0 + (x0 * a.c0 + x1 + a.o4)) : lz_f64{};
            const lz_f64 v5 = lz_add(v3, v4);
            const lz_f64 v6 = v2 ? lz_read(a.in0 + (x0 * a.c0 + x1 + a.o6)) : lz_f64{};
            const lz_f64 v7 = lz_add(v5, v6);
            const lz_f64 v8 = v2 ? lz_read(a.in0 + (x0 * a.c0 + x1 + a.o8)) : lz_f64{};
            const lz_f64 v9 = lz_add(v7, v8);
            const lz_f64 v10 = v2 ? lz_read(a.in0 + (x0 * a.c0 + x1 + a.o10)) : lz_f64{};
            const lz_f64 v11 = lz_add(v9, v10);
            const lz_f64 v13 = lz_multiply(v11, v12);
            const lz_f64 v14 = (v2 ? v13 : v3);
            lz_write(a.out0 + (x0 * a.c0 + x1), v14);
        }
    }
}
