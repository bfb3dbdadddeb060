// parallel x0 < n0
// parallel x1 < n1
// schedule: grid, 32-bit indices
struct Arguments {
    const lz_f64* in1;
    const lz_f64* in0;
    const lz_f64* in2;
    lz_f64* out0;
    lz_divisor tiles;
    int n1;
    int n0;
    int c0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_sin_cos_multiply_add(const __grid_constant__ Arguments a) {
    const int block = blockIdx.x;
    const int tile = lz_mod(block, a.tiles);
    const int strip = lz_div(block, a.tiles);
    int x1 = (tile * (int)blockDim.x + (int)threadIdx.x) * 2;
    const int top = strip * 64;
    const bool active = x1 < a.n1;
    if (!active) x1 = a.n1 - 2;
    const lz_pack<lz_f64, 2> v1 = lz_read_pack<2>(a.in1 + (x1));
    lz_f64 v4[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
        v4[e] = lz_cos(v1.at[e]);
    }
    __shared__ lz_f64 shared_v3[64];
    for (int t = (int)(threadIdx.y * blockDim.x + threadIdx.x); t < 64; t += 256) {
        const int x0 = top + t;
        if (x0 < a.n0) {
            const lz_f64 v0 = lz_read(a.in0 + (x0));
            shared_v3[t] = lz_sin(v0);
        }
    }
    __syncthreads();
#pragma unroll 4
    for (int u = 0; u < 64; ++u) {
        const int t = (int)threadIdx.y * 64 + u;
        const int x0 = top + t;
        if (active && x0 < a.n0) {
            const lz_pack<lz_f64, 2> v2 = lz_read_pack<2>(a.in2 + (x0 * a.c0 + x1));
            lz_pack<lz_f64, 2> store0;
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const lz_f64 v5 = lz_multiply(v4[e], v2.at[e]);
                const lz_f64 v6 = lz_add(shared_v3[t], v5);
                store0.at[e] = v6;
            }
            lz_write_pack(a.out0 + (x0 * a.c0 + x1), store0);
        }
    }
}
