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
