// What the kernels of sorting share. The host defines before this text:
//   LZ_SORT_KEY      the unsigned integer as which keys are sorted
//   LZ_SORT_INDEX    0: keys alone; 1: positions alone, as i64; 2: keys and positions, as u32
//   LZ_SORT_STATUS   the unsigned integer in which tiles tell each other their counts

typedef LZ_SORT_KEY lz_key;
typedef LZ_SORT_STATUS lz_status;
constexpr lz_u32 lz_radix = 256;

// How the bits of an element become a key whose order as an unsigned integer is the order asked
// for. All members are numbers, so that one kernel serves every type of a width.
struct lz_encoding {
    lz_u64 negative;    // flipped where the top bit is set
    lz_u64 positive;    // flipped where it is not
    lz_u64 infinity;    // magnitudes above it are NaN
    lz_u64 minus_zero;  // the element that counts as zero; zero where there is none
    lz_u64 invert;      // flipped at the end, for the descending order
    lz_u64 nan;         // the key of every NaN
    lz_u64 quiet;       // the NaN that stands for all of them
};

LZ_FN lz_key lz_encode(lz_key x, const lz_encoding& e) {
    constexpr lz_key top = lz_key(lz_key(1) << (8 * sizeof(lz_key) - 1));
    if (x == lz_key(e.minus_zero)) x = 0;
    lz_key key = x ^ (x & top ? lz_key(e.negative) : lz_key(e.positive)) ^ lz_key(e.invert);
    return lz_key(x & lz_key(~top)) > lz_key(e.infinity) ? lz_key(e.nan) : key;
}

LZ_FN lz_key lz_decode(lz_key key, const lz_encoding& e) {
    constexpr lz_key top = lz_key(lz_key(1) << (8 * sizeof(lz_key) - 1));
    key ^= lz_key(e.invert);
    lz_key x = key ^ (key & top ? lz_key(e.positive) : lz_key(e.negative));
    return lz_key(x & lz_key(~top)) > lz_key(e.infinity) ? lz_key(e.quiet) : x;
}

// The sum of what the threads before this one have, over the first 256 threads of the block.
// Every thread of the block must call it.
LZ_FN lz_u32 lz_scan_256(lz_u32 value) {
    __shared__ lz_u32 warps[8];
    lz_u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sum = value;
    #pragma unroll
    for (lz_u32 by = 1; by < 32; by <<= 1) {
        lz_u32 other = __shfl_up_sync(LZ_ALL_LANES, sum, by);
        if (lane >= by) sum += other;
    }
    if (warp < 8 && lane == 31) warps[warp] = sum;
    __syncthreads();
    lz_u32 before = 0;
    #pragma unroll
    for (lz_u32 w = 0; w < 8; ++w) before += w < warp ? warps[w] : 0;
    __syncthreads();
    return before + sum - value;
}

// What a tile tells those behind it, in one word, so that no fence is needed.
constexpr lz_status lz_known = lz_status(1) << (8 * sizeof(lz_status) - 2);  // the tile's own count
constexpr lz_status lz_total = lz_known << 1;                               // with all before it
constexpr lz_status lz_count_mask = lz_known - 1;

LZ_FN lz_status lz_look(const lz_status* p) { return *(const volatile lz_status*)p; }
LZ_FN void lz_tell(lz_status* p, lz_status x) { *(volatile lz_status*)p = x; }
