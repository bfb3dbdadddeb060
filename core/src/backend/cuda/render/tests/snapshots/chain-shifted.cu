// parallel x0 < n0
// schedule: flat, 32-bit indices
struct Arguments {
    lz_f64 s0;
    const lz_f64* in0;
    const lz_f64* in1;
    lz_f64* out0;
    int n0;
    int o0;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_exp_multiply_add(const __grid_constant__ Arguments a) {
    const int x0 = ((int)blockIdx.x * 256 + threadIdx.x);
    if (x0 < a.n0) {
        const lz_f64 v2 = a.s0;
        const lz_f64 v0 = lz_read(a.in0 + (x0 + a.o0));
        const lz_f64 v1 = lz_read(a.in1 + (x0));
        const lz_f64 v3 = lz_exp(v0);
        const lz_f64 v4 = lz_multiply(v3, v2);
        const lz_f64 v5 = lz_add(v4, v1);
        lz_write(a.out0 + (x0), v5);
    }
}
