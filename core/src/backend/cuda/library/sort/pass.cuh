// One pass of the sort. The host defines LZ_SORT_THREADS and LZ_SORT_ITEMS, the threads of a block
// and the keys of a thread.

constexpr lz_u32 lz_sort_threads = LZ_SORT_THREADS;
constexpr lz_u32 lz_sort_items = LZ_SORT_ITEMS;
constexpr lz_u32 lz_sort_warps = lz_sort_threads / 32;
constexpr lz_u32 lz_sort_tile = lz_sort_threads * lz_sort_items;

// The lanes of the warp that hold the same digit.
LZ_FN lz_u32 lz_peers(lz_u32 digit) {
    lz_u32 peers = LZ_ALL_LANES;
    #pragma unroll
    for (lz_u32 bit = 0; bit < 8; ++bit) {
        lz_u32 set = digit >> bit & 1;
        lz_u32 vote = __ballot_sync(LZ_ALL_LANES, set);
        peers &= set ? vote : ~vote;
    }
    return peers;
}

// How many of a digit stand in the tiles before this one, which may still be at work.
LZ_FN lz_u32 lz_look_back(const lz_status* own) {
    lz_status sum = 0;
    for (const lz_status* p = own - lz_radix;; p -= lz_radix) {
        lz_status found = lz_look(p);
        while (found == 0) found = lz_look(p);
        sum += found & lz_count_mask;
        if (found & lz_total) return lz_u32(sum);
    }
}

// Sorts by one digit: a block a tile.
extern "C" __global__ void __launch_bounds__(lz_sort_threads) lz_sort_pass(lz_sort_args p) {
    constexpr lz_u32 bins_bytes = lz_sort_warps * lz_radix * 4;
    constexpr lz_u32 widest = LZ_SORT_INDEX && sizeof(lz_key) < 4 ? 4 : sizeof(lz_key);
    constexpr lz_u32 keys_bytes = lz_sort_tile * widest;
    constexpr lz_u32 memory_bytes = bins_bytes > keys_bytes ? bins_bytes : keys_bytes;
    __shared__ lz_u64 memory[(memory_bytes + 7) / 8];
    __shared__ lz_u32 starts[lz_radix];
    __shared__ lz_u32 ticket;

    // Passes that move nothing are left out, and the others hand the data to and fro such that
    // the last one ends in the result.
    lz_u32 before = 0, after = 0;
    for (lz_u32 k = 0; k < p.passes; ++k) {
        if (k < p.pass) before += p.active[k];
        if (k > p.pass) after += p.active[k];
    }
    bool moves = p.active[p.pass] || (p.pass == 0 && after == 0);
    if (!moves) return;
    bool first = before == 0, last = after == 0, odd = after & 1;

    lz_u32 thread = threadIdx.x, lane = thread & 31, warp = thread >> 5, shift = 8 * lz_u32(p.pass);
    if (thread == 0) ticket = atomicAdd(&p.tickets[p.pass], 1u);
    lz_u32* bins = (lz_u32*)memory;
    for (lz_u32 i = thread; i < lz_sort_warps * lz_radix; i += lz_sort_threads) bins[i] = 0;
    __syncthreads();
    lz_u32 place = ticket;
    lz_u32 row = p.rows == 1 ? 0 : place / lz_u32(p.tiles), tile = place - row * lz_u32(p.tiles);
    lz_u64 base = row * p.length;
    lz_u32 begin = tile * lz_sort_tile;
    lz_u32 valid = lz_u32(p.length) - begin;
    bool full = valid >= lz_sort_tile;

    // Each warp takes its keys in order, 32 neighbours at a time. What is not there sorts last.
    lz_u32 mine = warp * 32 * lz_sort_items + lane;
    const lz_key* source = (first ? p.input : odd ? p.key_b : p.key_a) + base + begin;
    lz_key keys[lz_sort_items];
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) {
        lz_u32 k = mine + 32 * i;
        keys[i] = full || k < valid ? source[k] : lz_key(0);
    }
    if (first) {
        #pragma unroll
        for (lz_u32 i = 0; i < lz_sort_items; ++i) keys[i] = lz_encode(keys[i], p.encoding);
    }
    if (!full) {
        #pragma unroll
        for (lz_u32 i = 0; i < lz_sort_items; ++i)
            if (mine + 32 * i >= valid) keys[i] = lz_key(~lz_key(0));
    }

    // Counts, so that the tiles behind need not wait for the ranks.
    lz_u32* own = bins + warp * lz_radix;
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) atomicAdd(&own[lz_digit(keys[i], shift)], 1u);
    __syncthreads();
    lz_u32 count = 0;
    if (thread < lz_radix) {
        #pragma unroll
        for (lz_u32 w = 0; w < lz_sort_warps; ++w) {
            lz_u32 n = bins[w * lz_radix + thread];
            bins[w * lz_radix + thread] = count;
            count += n;
        }
    }
    lz_u32 start = lz_scan_256(count);
    lz_status* status = p.status + (p.pass * p.rows * p.tiles + place) * lz_radix + thread;
    if (thread < lz_radix) {
        #pragma unroll
        for (lz_u32 w = 0; w < lz_sort_warps; ++w) bins[w * lz_radix + thread] += start;
        if (!full && thread == lz_radix - 1) count -= lz_sort_tile - valid;
        lz_tell(status, lz_status(count) | (tile == 0 ? lz_total : lz_known));
    }
    __syncthreads();

    // Ranks within the tile.
    lz_u32 ranks[lz_sort_items];
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) {
        lz_u32 digit = lz_digit(keys[i], shift);
        lz_u32 peers = lz_peers(digit);
        lz_u32 below = __popc(peers & ((1u << lane) - 1));
        lz_u32 seen = own[digit];
        __syncwarp();
        if (below == 0) own[digit] = seen + __popc(peers);
        __syncwarp();
        ranks[i] = seen + below;
    }
    __syncthreads();

    // Into order on the chip, so that neighbours go to neighbouring places in memory.
    lz_key* sorted = (lz_key*)memory;
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) sorted[ranks[i]] = keys[i];
    if (thread < lz_radix) {
        lz_u32 earlier = 0;
        if (tile > 0) {
            earlier = lz_look_back(status);
            lz_tell(status, lz_status(lz_u32(earlier + count)) | lz_total);
        }
        starts[thread] = p.bins[(p.pass * p.rows + row) * lz_radix + thread] + earlier - start;
    }
    __syncthreads();
    lz_key* target = (odd ? p.key_a : p.key_b) + base;
    lz_u32 places[lz_sort_items];
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) {
        lz_u32 k = thread + i * lz_sort_threads;
        lz_key key = sorted[k];
        places[i] = starts[lz_digit(key, shift)] + k;
        if (LZ_SORT_INDEX == 1 && last) continue;
        if (LZ_SORT_INDEX != 1 && last) key = lz_decode(key, p.encoding);
        if (full || k < valid) target[places[i]] = key;
    }
    if constexpr (LZ_SORT_INDEX == 0) return;

    // The positions go the same way.
    const lz_u32* index = (odd ? p.index_b : p.index_a) + base + begin;
    lz_u32 indices[lz_sort_items];
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) {
        lz_u32 k = mine + 32 * i;
        if (first) indices[i] = begin + k;
        else if (full || k < valid) indices[i] = index[k];
    }
    lz_u32* moved = (lz_u32*)memory;
    __syncthreads();
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) moved[ranks[i]] = indices[i];
    __syncthreads();
    lz_u32* index_target = (odd ? p.index_a : p.index_b) + base;
    lz_i64* positions = p.positions + base;
    #pragma unroll
    for (lz_u32 i = 0; i < lz_sort_items; ++i) {
        lz_u32 k = thread + i * lz_sort_threads;
        if (!full && k >= valid) continue;
        if (LZ_SORT_INDEX == 1 && last) positions[places[i]] = lz_i64(moved[k]);
        else index_target[places[i]] = moved[k];
    }
}
