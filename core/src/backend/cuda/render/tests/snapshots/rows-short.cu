// parallel x0 < n0
// reduce x1 < n1
// schedule: rows, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    lz_f32* out0;
    int teams;
    int n1;
    int c0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_sum(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x % 8;
    int team = (int)blockIdx.x * 32 + threadIdx.x / 8;
    const bool active = team < a.teams;
    if (!active) team = a.teams - 1;
    const int x0 = team;
    lz_f32 fold1 = 0.0f;
    lz_pack<lz_f32, 4> v0[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 8 + lane) * 4;
        if (x1 < a.n1) {
            v0[k] = lz_read_pack<4>(a.in0 + (x0 * a.c0 + x1));
        }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 8 + lane) * 4;
        if (x1 < a.n1) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                fold1 = lz_add(fold1, v0[k].at[e]);
            }
        }
    }
    fold1 = lz_fold_lanes<8>(fold1, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    if (active && lane == 0) lz_write(a.out0 + (x0), fold1);
}
