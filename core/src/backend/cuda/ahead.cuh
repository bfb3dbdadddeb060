// The end of a portion of turns that were launched ahead: one warp.

struct Arguments {
    // Whether the portion's first turn runs, the number of the portion, and from the next place on the
    // conditions that its turns gave.
    unsigned char* flags;
    // For portions in turn how many turns they ran and whether the condition holds, in the host's memory.
    unsigned int* reports;
    int turns;
};

extern "C" __global__ void lazuli_end_portion(const __grid_constant__ Arguments a) {
    const int lane = (int)threadIdx.x;
    const unsigned int runs = a.flags[0];
    unsigned char* condition = a.flags + lz_place_bytes * (lane + 1);
    const bool is_turn = lane < a.turns;
    const unsigned int held = __ballot_sync(0xffffffffu, is_turn && *condition);
    if (is_turn) *condition = 0;
    if (lane != 0) return;
    // Those that hold come first: what follows a turn that ended the loop was skipped.
    const unsigned int trues = (unsigned int)__popc(held);
    const unsigned int turns = (unsigned int)a.turns;
    const unsigned int goes_on = runs && trues == turns;
    unsigned int* number = (unsigned int*)a.flags + 1;
    unsigned int* report = a.reports + 2 * (*number % lz_reports);
    report[0] = !runs ? 0 : goes_on ? turns : trues + 1;
    report[1] = goes_on;
    a.flags[0] = (unsigned char)goes_on;
    ++*number;
}
