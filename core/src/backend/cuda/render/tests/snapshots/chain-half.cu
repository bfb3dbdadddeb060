// parallel x0 < n0
// schedule: flat, 32-bit indices
struct Arguments {
    const lz_f16* in0;
    const lz_f16* in1;
    lz_f16* out0;
    int n0;
    lz_f16 s0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_exp_multiply_add(const __grid_constant__ Arguments a) {
    const int x0 = ((int)blockIdx.x * 256 + threadIdx.x) * 8;
    if (x0 < a.n0) {
        const lz_f16 v2 = a.s0;
        const lz_pack<lz_f16, 8> v0 = lz_read_pack<8>(a.in0 + (x0));
        const lz_pack<lz_f16, 8> v1 = lz_read_pack<8>(a.in1 + (x0));
        lz_pack<lz_f16, 8> store0;
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            const lz_f16 v3 = lz_exp(v0.at[e]);
            const lz_f16 v4 = lz_multiply(v3, v2);
            const lz_f16 v5 = lz_add(v4, v1.at[e]);
            store0.at[e] = v5;
        }
        lz_write_pack(a.out0 + (x0), store0);
    }
}
