// parallel x0 < n0
// reduce x1 < n1
// schedule: rows, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    lz_f32* out0;
    int n1;
    int c0;
};

extern "C" __global__ void __launch_bounds__(512, 4) lazuli_max_exp_sum_divide(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x;
    const int team = blockIdx.x;
    const int x0 = team;
    lz_f32 fold1 = -lz_infinity<float>();
    lz_pack<lz_f32, 4> v0[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 512 + lane) * 4;
        if (x1 < a.n1) {
            v0[k] = lz_read_pack<4>(a.in0 + (x0 * a.c0 + x1));
        }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 512 + lane) * 4;
        if (x1 < a.n1) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                fold1 = lz_maximum(fold1, v0[k].at[e]);
            }
        }
    }
    __shared__ lz_f32 memory1[16];
    fold1 = lz_fold_block<512>(fold1, memory1, [](const lz_f32& a, const lz_f32& b) { return lz_maximum(a, b); });
    const lz_f32 v2 = fold1;
    lz_f32 fold5 = 0.0f;
    lz_f32 v4[2][4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 512 + lane) * 4;
        if (x1 < a.n1) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const lz_f32 v3 = lz_subtract(v0[k].at[e], v2);
                v4[k][e] = lz_exp(v3);
                fold5 = lz_add(fold5, v4[k][e]);
            }
        }
    }
    __shared__ lz_f32 memory5[16];
    fold5 = lz_fold_block<512>(fold5, memory5, [](const lz_f32& a, const lz_f32& b) { return lz_add(a, b); });
    const lz_f32 v6 = fold5;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 512 + lane) * 4;
        if (x1 < a.n1) {
            lz_pack<lz_f32, 4> store0;
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const lz_f32 v7 = lz_divide(v4[k][e], v6);
                store0.at[e] = v7;
            }
            lz_write_pack(a.out0 + (x0 * a.c0 + x1), store0);
        }
    }
}
