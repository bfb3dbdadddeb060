// reduce x0 < n0
// schedule: rows, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    unsigned char* scratch;
    unsigned int* counters;
    lz_f32* out0;
    lz_divisor parts;
    int n0;
    int turns;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_sum(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x;
    const int part = lz_mod((int)blockIdx.x, a.parts);
    const int team = lz_div((int)blockIdx.x, a.parts);
    lz_f32 fold1 = 0.0f;
    const int stride = (int)a.parts.by * 1024;
    int x0 = (part * 256 + lane) * 4;
#pragma unroll 4
    for (int turn = 0; turn < a.turns; ++turn, x0 += stride) {
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            fold1 = lz_add(fold1, v0.at[e]);
        }
    }
    if (x0 < a.n0) {
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            fold1 = lz_add(fold1, v0.at[e]);
        }
    }
    __shared__ lz_f32 memory1[8];
    fold1 = lz_fold_block<256>(fold1, memory1, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    lz_f32* const parts1 = (lz_f32*)(a.scratch) + (long long)team * a.parts.by;
    if (lane == 0) parts1[part] = fold1;
    if (!lz_last_block(a.counters + team, a.parts.by)) return;
    fold1 = 0.0f;
#pragma unroll 4
    for (int k = lane; k < (int)a.parts.by; k += 256) fold1 = lz_add(fold1, parts1[k]);
    __shared__ lz_f32 memory1_last[8];
    fold1 = lz_fold_block<256>(fold1, memory1_last, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    if (lane == 0) lz_write(a.out0 + (0), fold1);
}
