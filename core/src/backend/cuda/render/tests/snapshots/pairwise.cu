// parallel x0 < n0
// reduce x1 < n1
// serial x2 < n2
// schedule: columns, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    unsigned char* scratch;
    unsigned int* counters;
    lz_f32* out0;
    lz_divisor tiles;
    lz_divisor parts;
    int n0;
    lz_f32 s0;
    lz_f32 s1;
    int c0;
    int n1;
    int chunk;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_subtract_square_sum_min(const __grid_constant__ Arguments a) {
    const int tile = lz_mod((int)blockIdx.x, a.tiles);
    int outer = lz_div((int)blockIdx.x, a.tiles);
    const int part = lz_mod(outer, a.parts);
    outer = lz_div(outer, a.parts);
    int x0 = (tile * 256 + (int)threadIdx.x) * 8;
    const bool active = x0 < a.n0;
    if (!active) x0 = a.n0 - 8;
    const lz_f32 v8 = a.s0;
    const lz_f32 v9 = a.s1;
    lz_f32 v0_0[8];
    lz_f32 v0_1[8];
    lz_f32 v0_2[8];
    int v5[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) {
        v0_0[e] = lz_read(a.in0 + ((x0 + e) * a.c0));
        v0_1[e] = lz_read(a.in0 + ((x0 + e) * a.c0 + 1));
        v0_2[e] = lz_read(a.in0 + ((x0 + e) * a.c0 + 2));
        v5[e] = (x0 + e);
    }
    lz_f32 fold12[8];
#pragma unroll
    for (int e = 0; e < 8; ++e) fold12[e] = lz_infinity<float>();
    const int first = part * a.chunk;
    const int end = first + a.chunk < a.n1 ? first + a.chunk : a.n1;
#pragma unroll 2
    for (int x1 = first; x1 < end; x1 += 1) {
        const lz_f32 v1_0 = lz_read(a.in0 + (x1 * a.c0));
        const lz_f32 v1_1 = lz_read(a.in0 + (x1 * a.c0 + 1));
        const lz_f32 v1_2 = lz_read(a.in0 + (x1 * a.c0 + 2));
        int v6 = x1;
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            const lz_f32 v2_0 = lz_subtract(v0_0[e], v1_0);
            const lz_f32 v2_1 = lz_subtract(v0_1[e], v1_1);
            const lz_f32 v2_2 = lz_subtract(v0_2[e], v1_2);
            const lz_f32 v3_0 = lz_square(v2_0);
            const lz_f32 v3_1 = lz_square(v2_1);
            const lz_f32 v3_2 = lz_square(v2_2);
            lz_f32 v4 = v3_0;
            v4 = lz_add(v4, v3_1);
            v4 = lz_add(v4, v3_2);
            lz_bool v7 = (v5[e] == v6);
            const lz_f32 v10 = (v7 ? v8 : v9);
            const lz_f32 v11 = lz_add(v4, v10);
            fold12[e] = lz_minimum(fold12[e], v11);
        }
    }
    const int group = lz_div(lz_div((int)blockIdx.x, a.tiles), a.parts) * (int)a.tiles.by + tile;
    lz_f32* const parts12 = (lz_f32*)(a.scratch) + ((long long)group * a.parts.by * 256 + threadIdx.x) * 8;
#pragma unroll
    for (int e = 0; e < 8; ++e) parts12[(long long)part * 2048 + e] = fold12[e];
    if (!lz_last_block(a.counters + group, a.parts.by)) return;
#pragma unroll
    for (int e = 0; e < 8; ++e) fold12[e] = lz_infinity<float>();
#pragma unroll 8
    for (int k = 0; k < (int)a.parts.by; k += 1) {
        const auto pack = lz_read_pack_own<8>(parts12 + (long long)k * 2048);
#pragma unroll
        for (int e = 0; e < 8; ++e) fold12[e] = lz_minimum(fold12[e], pack.at[e]);
    }
    if (active) {
        lz_pack<lz_f32, 8> store0;
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            store0.at[e] = fold12[e];
        }
        lz_write_pack(a.out0 + (x0), store0);
    }
}
