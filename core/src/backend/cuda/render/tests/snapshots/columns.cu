// parallel x0 < n0
// reduce x1 < n1
// schedule: columns, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    unsigned char* scratch;
    unsigned int* counters;
    lz_f32* out0;
    lz_divisor tiles;
    lz_divisor parts;
    int n0;
    int n1;
    int chunk;
    int c0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_sum(const __grid_constant__ Arguments a) {
    const int tile = lz_mod((int)blockIdx.x, a.tiles);
    int outer = lz_div((int)blockIdx.x, a.tiles);
    const int part = lz_mod(outer, a.parts);
    outer = lz_div(outer, a.parts);
    int x0 = (tile * 16 + (int)threadIdx.x) * 4;
    const bool active = x0 < a.n0;
    if (!active) x0 = a.n0 - 4;
    lz_f32 fold1[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) fold1[e] = 0.0f;
    const int first = part * a.chunk;
    const int end = first + a.chunk < a.n1 ? first + a.chunk : a.n1;
#pragma unroll 8
    for (int x1 = first + (int)threadIdx.y; x1 < end; x1 += 16) {
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0 + x1 * a.c0));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            fold1[e] = lz_add(fold1[e], v0.at[e]);
        }
    }
    LZ_DYNAMIC_SHARED(memory);
    lz_fold_down<16, 16, 4>(fold1, (lz_f32*)memory, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    const int group = lz_div(lz_div((int)blockIdx.x, a.tiles), a.parts) * (int)a.tiles.by + tile;
    lz_f32* const parts1 = (lz_f32*)(a.scratch) + ((long long)group * a.parts.by * 16 + threadIdx.x) * 4;
#pragma unroll
    for (int e = 0; e < 4; ++e) if (threadIdx.y == 0) parts1[(long long)part * 64 + e] = fold1[e];
    if (!lz_last_block(a.counters + group, a.parts.by)) return;
#pragma unroll
    for (int e = 0; e < 4; ++e) fold1[e] = 0.0f;
#pragma unroll 8
    for (int k = threadIdx.y; k < (int)a.parts.by; k += 16) {
        const auto pack = lz_read_pack_own<4>(parts1 + (long long)k * 64);
#pragma unroll
        for (int e = 0; e < 4; ++e) fold1[e] = lz_add(fold1[e], pack.at[e]);
    }
    lz_fold_down<16, 16, 4>(fold1, (lz_f32*)memory, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    if (active && threadIdx.y == 0) {
        lz_pack<lz_f32, 4> store0;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            store0.at[e] = fold1[e];
        }
        lz_write_pack(a.out0 + (x0), store0);
    }
}
