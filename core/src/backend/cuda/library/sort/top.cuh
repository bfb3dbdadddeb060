// The first few of each long row's order. The key of the last of them is found digit by digit, the
// highest first, by counting the digits of the keys that agree with what is known; should there be
// more of that key than are wanted, the last position is found the same way. What comes before is
// gathered in any order and sorted afterwards.

struct lz_top_state {
    lz_u64 key;         // what is known of the last key
    lz_u32 index;       // what is known of the last position with that key
    lz_u32 wanted;      // how many of those that agree are wanted
    lz_u32 agree;       // how many agree
    lz_u32 unused;
};

struct lz_top_args {
    const lz_key* input;
    lz_u32* bins;           // [rows][256]; zero before, and after each pass
    lz_top_state* state;    // [rows]
    lz_u32* found;          // [rows]; zero before
    lz_key* keys;           // [rows][count]
    lz_u32* index;          // [rows][count]
    lz_u64 length;
    lz_u64 rows;
    lz_u64 count;
    lz_u64 pass;            // the digits of keys, then those of positions
    lz_encoding encoding;
};

constexpr lz_u32 lz_key_digits = sizeof(lz_key);

// The lowest bit of the digit of a pass.
LZ_FN lz_u32 lz_top_shift(lz_u32 pass) {
    return 8 * (pass < lz_key_digits ? lz_key_digits - 1 - pass : lz_key_digits + 3 - pass);
}

// Whether positions need not be looked at any more: all that agree are wanted.
LZ_FN bool lz_top_settled(const lz_top_args& p, const lz_top_state& state) {
    return p.pass >= lz_key_digits && state.agree == state.wanted;
}

// A higher digit is known to be equal; a shift by all bits is left out.
template <class T> LZ_FN bool lz_agrees(T x, T known, lz_u32 shift) {
    return shift + 8 >= 8 * sizeof(T) || x >> (shift + 8) == known >> (shift + 8);
}

extern "C" __global__ void __launch_bounds__(256) lz_top_count(lz_top_args p) {
    __shared__ lz_u32 bins[lz_radix];
    lz_u64 row = blockIdx.y;
    lz_top_state state = p.state[row];
    if (lz_top_settled(p, state)) return;
    bins[threadIdx.x] = 0;
    __syncthreads();
    bool keys = p.pass < lz_key_digits;
    lz_u32 shift = lz_top_shift(lz_u32(p.pass));
    const lz_key* input = p.input + row * p.length;
    lz_u64 step = lz_u64(gridDim.x) * 256;
    #pragma unroll 8
    for (lz_u64 k = lz_u64(blockIdx.x) * 256 + threadIdx.x; k < p.length; k += step) {
        lz_key key = lz_encode(input[k], p.encoding);
        if (keys) {
            if (lz_agrees(key, lz_key(state.key), shift)) atomicAdd(&bins[lz_u32(key >> shift) & 255], 1u);
        } else if (key == lz_key(state.key) && lz_agrees(lz_u32(k), state.index, shift)) {
            atomicAdd(&bins[lz_u32(k) >> shift & 255], 1u);
        }
    }
    __syncthreads();
    if (bins[threadIdx.x] > 0) atomicAdd(&p.bins[row * lz_radix + threadIdx.x], bins[threadIdx.x]);
}

// A block a row.
extern "C" __global__ void __launch_bounds__(256) lz_top_pick(lz_top_args p) {
    lz_u64 row = blockIdx.x;
    lz_top_state state = p.state[row];
    if (lz_top_settled(p, state)) {
        // Whatever the lower digits are.
        if (threadIdx.x == 0) p.state[row].index |= 0xffffffffu >> (24 - lz_top_shift(lz_u32(p.pass)));
        return;
    }
    lz_u32 wanted = p.pass == 0 ? lz_u32(p.count) : state.wanted;
    lz_u32 count = p.bins[row * lz_radix + threadIdx.x];
    p.bins[row * lz_radix + threadIdx.x] = 0;
    lz_u32 before = lz_scan_256(count);
    if (before >= wanted || wanted > before + count) return;
    lz_u32 shift = lz_top_shift(lz_u32(p.pass));
    if (p.pass < lz_key_digits) state.key |= lz_u64(threadIdx.x) << shift;
    else state.index |= threadIdx.x << shift;
    state.wanted = wanted - before;
    state.agree = count;
    p.state[row] = state;
}

extern "C" __global__ void __launch_bounds__(256) lz_top_gather(lz_top_args p) {
    lz_u64 row = blockIdx.y;
    lz_top_state state = p.state[row];
    const lz_key* input = p.input + row * p.length;
    lz_u64 step = lz_u64(gridDim.x) * 256;
    #pragma unroll 8
    for (lz_u64 k = lz_u64(blockIdx.x) * 256 + threadIdx.x; k < p.length; k += step) {
        lz_key key = lz_encode(input[k], p.encoding);
        if (key > lz_key(state.key) || (key == lz_key(state.key) && lz_u32(k) > state.index)) continue;
        lz_u32 slot = atomicAdd(&p.found[row], 1u);
        if (slot >= p.count) continue;
        p.keys[row * p.count + slot] = key;
        p.index[row * p.count + slot] = lz_u32(k);
    }
}
