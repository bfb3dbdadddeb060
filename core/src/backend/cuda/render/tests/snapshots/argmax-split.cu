// reduce x0 < n0
// schedule: rows, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    unsigned char* scratch;
    unsigned int* counters;
    lz_i64* out0;
    lz_divisor parts;
    int n0;
    int turns;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_argmax(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x;
    const int part = lz_mod((int)blockIdx.x, a.parts);
    const int team = lz_div((int)blockIdx.x, a.parts);
    lz_best<lz_f32, int> fold2 = {-lz_infinity<float>(), 0};
    const int stride = (int)a.parts.by * 1024;
    int x0 = (part * 256 + lane) * 4;
#pragma unroll 4
    for (int turn = 0; turn < a.turns; ++turn, x0 += stride) {
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            int v1 = (x0 + e);
            fold2 = lz_argmax_next(fold2, v0.at[e], v1);
        }
    }
    if (x0 < a.n0) {
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            int v1 = (x0 + e);
            fold2 = lz_argmax_next(fold2, v0.at[e], v1);
        }
    }
    __shared__ lz_best<lz_f32, int> memory2[8];
    fold2 = lz_fold_block<256>(fold2, memory2, [](const lz_best<lz_f32, int>& a, const lz_best<lz_f32, int>& b) { return lz_argmax(a, b); });
    lz_best<lz_f32, int>* const parts2 = (lz_best<lz_f32, int>*)(a.scratch) + (long long)team * a.parts.by;
    if (lane == 0) parts2[part] = fold2;
    if (!lz_last_block(a.counters + team, a.parts.by)) return;
    fold2 = {-lz_infinity<float>(), 0};
#pragma unroll 4
    for (int k = lane; k < (int)a.parts.by; k += 256) fold2 = lz_argmax(fold2, parts2[k]);
    __shared__ lz_best<lz_f32, int> memory2_last[8];
    fold2 = lz_fold_block<256>(fold2, memory2_last, [](const lz_best<lz_f32, int>& a, const lz_best<lz_f32, int>& b) { return lz_argmax(a, b); });
    if (lane == 0) lz_write(a.out0 + (0), (long long)fold2.at);
}
