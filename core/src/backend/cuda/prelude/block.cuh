// Cooperation of threads: shuffles of any type, and the block that finishes last.

#define LZ_ALL_LANES 0xffffffffu

// Applies a 32-bit shuffle to each word of a value.
#define LZ_SHUFFLE(name, shuffle)                                                                \
    template <class T> LZ_FN T name(T x, int lane, int width = 32) {                             \
        constexpr int words = (sizeof(T) + 3) / 4;                                               \
        lz_u32 w[words] = {};                                                                    \
        memcpy(w, &x, sizeof(T));                                                      \
        for (int i = 0; i < words; ++i) w[i] = shuffle(LZ_ALL_LANES, w[i], lane, width);         \
        memcpy(&x, w, sizeof(T));                                                      \
        return x;                                                                                \
    }
// The value of the lane whose number differs in the bits of `lane`.
LZ_SHUFFLE(lz_shuffle_xor, __shfl_xor_sync)
// The value of the lane that many further on.
LZ_SHUFFLE(lz_shuffle_down, __shfl_down_sync)
// The value of the lane that many before.
LZ_SHUFFLE(lz_shuffle_up, __shfl_up_sync)
// The value of that lane.
LZ_SHUFFLE(lz_shuffle, __shfl_sync)

LZ_FN int lz_lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31; }
LZ_FN int lz_warp() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) >> 5; }

// Whether this block is the last of `blocks` to arrive. Every thread of the block must call it,
// and all get the same answer; what the other blocks wrote before is visible to the last one.
// The counter begins at zero and is zero again when the last block has arrived.
LZ_FN bool lz_last_block(lz_u32* counter, lz_u32 blocks) {
    __shared__ lz_u32 last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        last = atomicInc(counter, blocks - 1) == blocks - 1;
    __syncthreads();
    bool answer = last;
    __threadfence();
    // The next call may not overwrite the answer before everybody has read it.
    __syncthreads();
    return answer;
}
