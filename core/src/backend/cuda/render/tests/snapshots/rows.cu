// parallel x0 < n0
// reduce x1 < n1
// schedule: rows, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    lz_f32* out0;
    int n1;
    int c0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_sum(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x;
    const int team = blockIdx.x;
    const int x0 = team;
    lz_f32 fold1 = 0.0f;
#pragma unroll 4
    for (int x1 = lane * 4; x1 < a.n1; x1 += 1024) {
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0 * a.c0 + x1));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            fold1 = lz_add(fold1, v0.at[e]);
        }
    }
    __shared__ lz_f32 memory1[8];
    fold1 = lz_fold_block<256>(fold1, memory1, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    if (lane == 0) lz_write(a.out0 + (x0), fold1);
}
