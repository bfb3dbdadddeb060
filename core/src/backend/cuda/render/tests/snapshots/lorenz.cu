// parallel x0 < n0
// reduce x1 < n1
// schedule: rows, 32-bit indices
struct Arguments {
    lz_f64 s0;
    lz_f64 s1;
    lz_f64 s2;
    lz_f64 s3;
    lz_f64 s4;
    const lz_f64* in0;
    lz_f64* out0;
    int row1;
    int n1;
    int c0;
    int o7;
    lz_divisor d0;
    int o9;
    int o11;
    int o20;
    int o22;
    int o24;
    int o33;
    int o35;
    int o37;
    int o46;
    int o48;
    int o50;
};

extern "C" __global__ void __launch_bounds__(1024) lazuli_subtract_multiply_add(const __grid_constant__ Arguments a) {
    const int lane = threadIdx.x;
    const int team = blockIdx.x;
    const int x0 = team;
    LZ_DYNAMIC_SHARED(memory);
    lz_f64* const row6 = (lz_f64*)memory;
    lz_f64* const row19 = (lz_f64*)(memory + a.row1);
    lz_f64* const row32 = (lz_f64*)memory;
    lz_f64* const row45 = (lz_f64*)(memory + a.row1);
    const lz_f64 v1 = a.s0;
    const lz_f64 v2 = a.s1;
    const lz_f64 v3 = a.s2;
    const lz_f64 v4 = a.s3;
    const lz_f64 v5 = a.s4;
    lz_f64 v0[1];
#pragma unroll
    for (int k = 0; k < 1; ++k) {
        const int x1 = lane;
        if (x1 < a.n1) {
            v0[k] = lz_read(a.in0 + (x0 * a.c0 + x1));
        }
    }
#pragma unroll
    for (int k = 0; k < 1; ++k) {
        const int x1 = lane;
        if (x1 < a.n1) {
            row6[x1] = v0[k];
        }
    }
    __syncthreads();
    lz_f64 v16[1];
#pragma unroll
    for (int k = 0; k < 1; ++k) {
        const int x1 = lane;
        if (x1 < a.n1) {
            int v7 = lz_wrap2(x1 + a.o7, a.d0);
            const lz_f64 v8 = row6[v7];
            int v9 = lz_wrap2(x1 + a.o9, a.d0);
            const lz_f64 v10 = row6[v9];
            int v11 = lz_wrap2(x1 + a.o11, a.d0);
            const lz_f64 v12 = row6[v11];
            const lz_f64 v13 = lz_subtract(v8, v10);
            const lz_f64 v14 = lz_multiply(v13, v12);
            const lz_f64 v15 = lz_subtract(v14, v0[k]);
            v16[k] = lz_add(v15, v1);
            const lz_f64 v17 = lz_multiply(v16[k], v2);
            const lz_f64 v18 = lz_add(v0[k], v17);
            row19[x1] = v18;
        }
    }
    __syncthreads();
    lz_f64 v58[1];
#pragma unroll
    for (int k = 0; k < 1; ++k) {
        const int x1 = lane;
        if (x1 < a.n1) {
            const lz_f64 v18 = row19[x1];
            int v20 = lz_wrap2(x1 + a.o20, a.d0);
            const lz_f64 v21 = row19[v20];
            int v22 = lz_wrap2(x1 + a.o22, a.d0);
            const lz_f64 v23 = row19[v22];
            int v24 = lz_wrap2(x1 + a.o24, a.d0);
            const lz_f64 v25 = row19[v24];
            const lz_f64 v26 = lz_subtract(v21, v23);
            const lz_f64 v27 = lz_multiply(v26, v25);
            const lz_f64 v28 = lz_subtract(v27, v18);
            const lz_f64 v29 = lz_add(v28, v1);
            const lz_f64 v30 = lz_multiply(v29, v2);
            const lz_f64 v31 = lz_add(v0[k], v30);
            const lz_f64 v56 = lz_multiply(v29, v5);
            v58[k] = lz_add(v16[k], v56);
            row32[x1] = v31;
        }
    }
    __syncthreads();
    lz_f64 v59[1];
#pragma unroll
    for (int k = 0; k < 1; ++k) {
        const int x1 = lane;
        if (x1 < a.n1) {
            const lz_f64 v31 = row32[x1];
            int v33 = lz_wrap2(x1 + a.o33, a.d0);
            const lz_f64 v34 = row32[v33];
            int v35 = lz_wrap2(x1 + a.o35, a.d0);
            const lz_f64 v36 = row32[v35];
            int v37 = lz_wrap2(x1 + a.o37, a.d0);
            const lz_f64 v38 = row32[v37];
            const lz_f64 v39 = lz_subtract(v34, v36);
            const lz_f64 v40 = lz_multiply(v39, v38);
            const lz_f64 v41 = lz_subtract(v40, v31);
            const lz_f64 v42 = lz_add(v41, v1);
            const lz_f64 v43 = lz_multiply(v42, v3);
            const lz_f64 v44 = lz_add(v0[k], v43);
            const lz_f64 v57 = lz_multiply(v42, v5);
            v59[k] = lz_add(v58[k], v57);
            row45[x1] = v44;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 1; ++k) {
        const int x1 = lane;
        if (x1 < a.n1) {
            const lz_f64 v44 = row45[x1];
            int v46 = lz_wrap2(x1 + a.o46, a.d0);
            const lz_f64 v47 = row45[v46];
            int v48 = lz_wrap2(x1 + a.o48, a.d0);
            const lz_f64 v49 = row45[v48];
            int v50 = lz_wrap2(x1 + a.o50, a.d0);
            const lz_f64 v51 = row45[v50];
            const lz_f64 v52 = lz_subtract(v47, v49);
            const lz_f64 v53 = lz_multiply(v52, v51);
            const lz_f64 v54 = lz_subtract(v53, v44);
            const lz_f64 v55 = lz_add(v54, v1);
            const lz_f64 v60 = lz_add(v59[k], v55);
            const lz_f64 v61 = lz_multiply(v60, v4);
            const lz_f64 v62 = lz_add(v0[k], v61);
            lz_write(a.out0 + (x0 * a.c0 + x1), v62);
        }
    }
    __syncthreads();
}
