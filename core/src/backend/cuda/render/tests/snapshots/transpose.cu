// parallel x0 < n0
// parallel x1 < n1
// schedule: grid, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    const lz_f32* in1;
    lz_f32* out0;
    lz_divisor tiles;
    int n1;
    int n0;
    int c0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_add(const __grid_constant__ Arguments a) {
    const int block = blockIdx.x;
    const int tile = lz_mod(block, a.tiles);
    const int strip = lz_div(block, a.tiles);
    int x1 = (tile * (int)blockDim.x + (int)threadIdx.x);
    const int top = strip * 32;
    const bool active = x1 < a.n1;
    if (!active) x1 = a.n1 - 1;
    __shared__ lz_f32 turned0[32][32 + 1];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int t = (int)threadIdx.y + u * 8;
        const int y1 = tile * 32 + t;
        const int y0 = top + (int)threadIdx.x;
        if (y1 < a.n1 && y0 < a.n0) {
            const lz_f32 v0 = lz_read(a.in0 + (y0 + y1 * a.c0));
            turned0[t][threadIdx.x] = v0;
        }
    }
    __syncthreads();
    lz_f32 v1[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int x0 = top + (int)threadIdx.y + u * 8;
        if (active && x0 < a.n0) {
            v1[u] = lz_read(a.in1 + (x0 * a.c0 + x1));
        }
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int x0 = top + (int)threadIdx.y + u * 8;
        if (active && x0 < a.n0) {
            const lz_f32 v2 = lz_add(turned0[threadIdx.x][x0 - top], v1[u]);
            lz_write(a.out0 + (x0 * a.c0 + x1), v2);
        }
    }
}
