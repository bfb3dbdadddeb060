// parallel x0 < n0
// schedule: flat, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    const lz_f32* in1;
    lz_f32* out0;
    int n0;
    lz_f32 s0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_exp_multiply_add(const __grid_constant__ Arguments a) {
    const int x0 = ((int)blockIdx.x * 256 + threadIdx.x) * 4;
    if (x0 < a.n0) {
        const lz_f32 v2 = a.s0;
        const lz_pack<lz_f32, 4> v0 = lz_read_pack<4>(a.in0 + (x0));
        const lz_pack<lz_f32, 4> v1 = lz_read_pack<4>(a.in1 + (x0));
        lz_pack<lz_f32, 4> store0;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const lz_f32 v3 = lz_exp(v0.at[e]);
            const lz_f32 v4 = lz_multiply(v3, v2);
            const lz_f32 v5 = lz_add(v4, v1.at[e]);
            store0.at[e] = v5;
        }
        lz_write_pack(a.out0 + (x0), store0);
    }
}
