// Values combined with the places in any order, by the device's own atomic operations: the result
// does not depend on the order for integers, and in its last bits for floats. The host defines
// LZ_ATOMIC(place, x).

extern "C" __global__ void lz_scatter_atomic(lz_scatter_args p) {
    LZ_EACH(k, p.outer * p.count * p.inner) {
        lz_target place = lz_place_of(p, k);
        if (place == lz_nowhere) continue;
        LZ_ATOMIC(&p.output[place], p.values[k]);
    }
}
