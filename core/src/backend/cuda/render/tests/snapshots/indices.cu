// parallel x0 < n0
// schedule: flat, 32-bit indices
struct Arguments {
    const lz_f32* in0;
    const lz_i64* in1;
    lz_f32* out0;
    int n0;
    int o2;
    int high2;
    int o3;
    int o0;
    lz_divisor d0;
    int o7;
    lz_divisor d1;
    int c0;
    int o8;
    int high8;
    int o9;
    int c1;
    int o11;
};

extern "C" __global__ void __launch_bounds__(256) lazuli_abs_add_cast(const __grid_constant__ Arguments a) {
    const int x0 = ((int)blockIdx.x * 256 + threadIdx.x) * 2;
    if (x0 < a.n0) {
        lz_bool v2 = 0 <= x0 + a.o2 && x0 + a.o2 < a.high2;
        const lz_pack<lz_f32, 2> v3 = v2 ? lz_read_pack<2>(a.in0 + (x0 + a.o3)) : lz_pack<lz_f32, 2>();
        const lz_pack<lz_i64, 2> v4 = lz_read_pack<2>(a.in1 + (x0));
        lz_pack<lz_f32, 2> store0;
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            int v0 = lz_wrap2((x0 + e) + a.o0, a.d0);
            const lz_f32 v1 = lz_read(a.in0 + (v0));
            lz_i64 v5 = lz_abs(v4.at[e]);
            const lz_f32 v6 = lz_read(a.in0 + ((int)v5));
            int v7 = lz_div((x0 + e) + a.o7, a.d1);
            int v8 = lz_bounded((x0 + e) * a.c0 + a.o8, 0, a.high8);
            int v9 = lz_distance((x0 + e) + a.o9);
            const lz_f32 v10 = lz_read(a.in0 + (v8));
            int v11 = (x0 + e) * a.c1 + a.o11;
            lz_i64 v12 = lz_add((long long)v7, (long long)v9);
            lz_i64 v13 = lz_add(v12, (long long)v11);
            const lz_f32 v14 = lz_cast<lz_f32>(v13);
            const lz_f32 v15 = lz_add(v1, v3.at[e]);
            const lz_f32 v16 = lz_add(v15, v6);
            const lz_f32 v17 = lz_add(v16, v10);
            const lz_f32 v18 = lz_add(v17, v14);
            store0.at[e] = v18;
        }
        lz_write_pack(a.out0 + (x0), store0);
    }
}
