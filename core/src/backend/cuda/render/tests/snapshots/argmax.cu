// parallel x0 < n0
// reduce x1 < n1
// schedule: rows, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    lz_i64* out0;
    int n1;
    int c0;
};

extern "C" __global__ void __launch_bounds__(128) lazuli_argmax(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x;
    const int team = blockIdx.x;
    const int x0 = team;
    lz_best<lz_f32, int> fold2 = {-lz_infinity<float>(), 0};
    lz_pack<lz_f32, 4> v0[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 128 + lane) * 4;
        if (x1 < a.n1) {
            v0[k] = lz_read_pack<4>(a.in0 + (x0 * a.c0 + x1));
        }
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const int x1 = (k * 128 + lane) * 4;
        if (x1 < a.n1) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                int v1 = (x1 + e);
                fold2 = lz_argmax_next(fold2, v0[k].at[e], v1);
            }
        }
    }
    __shared__ lz_best<lz_f32, int> memory2[4];
    fold2 = lz_fold_block<128>(fold2, memory2, [](const lz_best<lz_f32, int>& a, const lz_best<lz_f32, int>& b) { return lz_argmax(a, b); });
    if (lane == 0) lz_write(a.out0 + (x0), (long long)fold2.at);
}
