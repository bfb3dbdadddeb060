// The positions at which a mask is true or, with LZ_RANKS, how many elements are true up to each:
// in one pass, a block a tile of 4096 elements.

struct lz_nonzero_args {
    const lz_u8* mask;
    lz_i64* output;
    lz_status* status;  // a word for each tile; zero before
    lz_u32* ticket;     // zero before
    lz_u64 length;
    lz_u64 count;       // how many positions there is room for
};

constexpr lz_u32 lz_mask_items = 16, lz_mask_tile = 256 * lz_mask_items;

extern "C" __global__ void __launch_bounds__(256) lz_nonzero(lz_nonzero_args p) {
    __shared__ lz_u16 found[lz_mask_tile];
    __shared__ lz_u32 ticket, total;
    __shared__ lz_u64 begin;
    if (threadIdx.x == 0) ticket = atomicAdd(p.ticket, 1u);
    __syncthreads();
    lz_u32 tile = ticket;
    lz_u64 base = lz_u64(tile) * lz_mask_tile;
    lz_u32 mine = threadIdx.x * lz_mask_items, set = 0;
    if (base + mine + lz_mask_items <= p.length) {
        lz_vec<lz_u8, lz_mask_items> m = lz_load<lz_mask_items>(p.mask + base + mine);
        #pragma unroll
        for (lz_u32 i = 0; i < lz_mask_items; ++i) set |= lz_u32(m.v[i] != 0) << i;
    } else {
        for (lz_u32 i = 0; i < lz_mask_items; ++i)
            if (base + mine + i < p.length && p.mask[base + mine + i] != 0) set |= 1u << i;
    }
    lz_u32 count = __popc(set), at = lz_scan_256(count);
    for (lz_u32 i = 0; i < lz_mask_items; ++i) {
#ifdef LZ_RANKS
        at += set >> i & 1;
        found[mine + i] = lz_u16(at);
#else
        if (set >> i & 1) found[at++] = lz_u16(mine + i);
#endif
    }
    if (threadIdx.x == 255) total = at;
    __syncthreads();
    if (threadIdx.x == 0) {
        lz_status* own = p.status + tile;
        lz_status sum = 0;
        if (tile > 0) {
            lz_tell(own, lz_status(total) | lz_known);
            for (const lz_status* q = own - 1;; --q) {
                lz_status there = lz_look(q);
                while (there == 0) there = lz_look(q);
                sum += there & lz_count_mask;
                if (there & lz_total) break;
            }
        }
        lz_tell(own, (sum + total) | lz_total);
        begin = sum;
    }
    __syncthreads();
#ifdef LZ_RANKS
    for (lz_u32 k = threadIdx.x; k < lz_mask_tile && base + k < p.length; k += 256)
        p.output[base + k] = lz_i64(begin + found[k]);
#else
    for (lz_u32 k = threadIdx.x; k < total; k += 256)
        if (begin + k < p.count) p.output[begin + k] = lz_i64(base + found[k]);
#endif
}
