// Radix sort of rows, least significant digit first, one read and one write of the data for each
// digit of eight bits.

struct lz_sort_args {
    const lz_key* input;
    lz_key* key_a;      // keys between passes
    lz_key* key_b;      // keys between passes, and the sorted ones at last
    lz_u32* index_a;    // positions between passes
    lz_u32* index_b;    // positions between passes, and the sorted ones of mode 2
    lz_i64* positions;  // the sorted ones of mode 1
    lz_u32* bins;       // [passes][rows][256]: counts, then where each digit begins; zero before
    lz_u32* active;     // [8]: whether a pass moves anything; zero before
    lz_u32* tickets;    // [8]: the tiles that were begun; zero before
    lz_status* status;  // [passes][rows * tiles][256]; zero before
    lz_u64 length;      // of a row
    lz_u64 rows;
    lz_u64 tiles;       // of a row
    lz_u64 passes;
    lz_u64 pass;
    lz_encoding encoding;
};

LZ_FN lz_u32 lz_digit(lz_key key, lz_u32 shift) { return lz_u32(key >> shift) & (lz_radix - 1); }
