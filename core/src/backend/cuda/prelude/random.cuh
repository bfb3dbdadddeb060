// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3").

struct lz_u32x4 { lz_u32 v[4]; };
struct lz_u32x2 { lz_u32 v[2]; };

// Four random words for a counter under a key.
LZ_FN lz_u32x4 lz_philox(lz_u32x4 counter, lz_u32x2 key) {
    for (int round = 0; round < 10; ++round) {
        lz_u64 a = lz_u64(0xD2511F53u) * counter.v[0];
        lz_u64 b = lz_u64(0xCD9E8D57u) * counter.v[2];
        counter = lz_u32x4{{lz_u32(b >> 32) ^ counter.v[1] ^ key.v[0], lz_u32(b),
                            lz_u32(a >> 32) ^ counter.v[3] ^ key.v[1], lz_u32(a)}};
        key.v[0] += 0x9E3779B9u;
        key.v[1] += 0xBB67AE85u;
    }
    return counter;
}

// A stream: the key, the first block, the number of the stream, and the keys of the rounds after
// the first. They come with the launch, so that no thread computes them.
struct lz_seed { lz_u64 key, first, stream, keys[9]; };

// The block of a counter's lower half `c0`, `c1` under a stream.
LZ_FN lz_u32x4 lz_philox_of(lz_u32 c0, lz_u32 c1, const lz_seed& seed) {
    lz_u32 c2 = lz_u32(seed.stream), c3 = lz_u32(seed.stream >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        lz_u64 key = round == 0 ? seed.key : seed.keys[round - 1];
        // The halves of both products: written as one product of 64 bits, each takes the compiler
        // an addition more.
        lz_u32 x = 0xD2511F53u * c0, x_high = __umulhi(0xD2511F53u, c0);
        lz_u32 y = 0xCD9E8D57u * c2, y_high = __umulhi(0xCD9E8D57u, c2);
        c0 = y_high ^ c1 ^ lz_u32(key);
        c1 = y;
        c2 = x_high ^ c3 ^ lz_u32(key >> 32);
        c3 = x;
    }
    return lz_u32x4{{c0, c1, c2, c3}};
}

// Block `b` of a stream: the counter's lower half counts blocks, its upper half is the stream.
// No draw of fewer than 2^32 blocks crosses a multiple of 2^32, and longer ones begin at one. So
// where 32 bits hold the place, all threads share the counter's second word, and with it the first
// product of the second round.
LZ_FN lz_u32x4 lz_philox_block(lz_u32 b, const lz_seed& seed) {
    return lz_philox_of(lz_u32(seed.first) + b, lz_u32(seed.first >> 32), seed);
}
LZ_FN lz_u32x4 lz_philox_block(lz_u64 b, const lz_seed& seed) {
    lz_u64 counter = seed.first + b;
    return lz_philox_of(lz_u32(counter), lz_u32(counter >> 32), seed);
}

LZ_FN lz_u64 lz_word_pair(lz_u32 low, lz_u32 high) { return low | lz_u64(high) << 32; }

// What a word becomes: itself, or a number of [0, 1) in steps of 2^-24 or 2^-53.
struct lz_uniform {
    LZ_FN static void of(lz_u32 word, lz_u32& x) { x = word; }
    LZ_FN static void of(lz_u64 word, lz_u64& x) { x = word; }
    LZ_FN static void of(lz_u32 word, lz_f32& x) { x = float(int(word >> 8)) * 0x1p-24f; }
    LZ_FN static void of(lz_u64 word, lz_f64& x) { x = double((long long)(word >> 11)) * 0x1p-53; }
};
// The standard normal distribution: the lowest bit is the sign, and the others are the
// probability of a larger magnitude.
struct lz_normal {
    template <class T> LZ_FN static void of(lz_u32 word, T& x) {
        T tail = (T(int(word >> 1)) + T(0.5)) * T(0x1p-31);
        T size = T(1.41421356237309505) * lz_erfcinv(tail);
        x = word & 1u ? -size : size;
    }
    template <class T> LZ_FN static void of(lz_u64 word, T& x) {
        T tail = (T((long long)(word >> 1)) + T(0.5)) * T(0x1p-63);
        T size = T(1.41421356237309505) * lz_erfcinv(tail);
        x = word & 1u ? -size : size;
    }
};

// The words of a block as numbers of a type, beginning with number `from` of them, of which there
// are 16 / sizeof(T).
template <class T, class Law, int count, class N>
LZ_FN void lz_spread(const lz_u32x4& block, lz_u32 from, N* numbers) {
    if constexpr (sizeof(T) == 4) {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            lz_u32 even = count > 2 || !(from & 2u) ? block.v[k] : block.v[(k + 2) % 4];
            lz_u32 odd = count > 2 || !(from & 2u) ? block.v[(k + 1) % 4] : block.v[(k + 3) % 4];
            Law::of(count > 1 || !(from & 1u) ? even : odd, numbers[k]);
        }
    } else {
#pragma unroll
        for (int k = 0; k < count; ++k) {
            bool second = k > 0 || (count == 1 && (from & 1u));
            lz_u64 word = second ? lz_word_pair(block.v[2], block.v[3])
                                 : lz_word_pair(block.v[0], block.v[1]);
            Law::of(word, numbers[k]);
        }
    }
}
// The block of number `at`. A pack may begin before the first number, where a join does not read it:
// the quotient is rounded down, so that the blocks behind it are still the right ones.
template <int lanes> LZ_FN lz_u32 lz_draw_block(int at) { return lz_u32(at >> (lanes / 2)); }
template <int lanes> LZ_FN lz_u64 lz_draw_block(long long at) { return lz_u64(at >> (lanes / 2)); }

// Number `at` of a stream.
template <class T, class Law, class I>
LZ_FN T lz_draw(I at, const lz_seed& seed) {
    constexpr int lanes = 16 / sizeof(T);
    T number[1];
    lz_spread<T, Law, 1>(lz_philox_block(lz_draw_block<lanes>(at), seed), lz_u32(at), number);
    return number[0];
}
// N numbers from `at` on: whole blocks, or a part of one.
template <class P, class T, int N, class Law, class I>
LZ_FN P lz_draw_pack(I at, const lz_seed& seed) {
    constexpr int lanes = 16 / sizeof(T);
    constexpr int each = N < lanes ? N : lanes;
    static_assert(lanes == 2 || lanes == 4, "the quotient is a shift by one or two");
    P pack;
#pragma unroll
    for (int k = 0; k < N; k += each) {
        lz_u32x4 block = lz_philox_block(lz_draw_block<lanes>(at) + k / lanes, seed);
        lz_spread<T, Law, each>(block, lz_u32(at), pack.at + k);
    }
    return pack;
}
