// Values put to, or combined with, the places that indices name. The host defines before this:
//   LZ_ELEMENT    the element type
//   LZ_COMBINE    (a, b): two values as one, in the type lz_wide
//   LZ_SORT_KEY   the unsigned integer that holds a place
// No thread writes where an index out of range would lead: the first such index is noted, and the
// host refuses the result.

typedef LZ_ELEMENT lz_element;
typedef LZ_SORT_KEY lz_target;

// Halves are combined in f32 and rounded once.
template <class T> struct lz_wide_of { typedef T type; };
template <> struct lz_wide_of<lz_f16> { typedef float type; };
template <> struct lz_wide_of<lz_bf16> { typedef float type; };
typedef typename lz_wide_of<lz_element>::type lz_wide;
LZ_FN lz_wide lz_combine(lz_wide a, lz_wide b) { return LZ_COMBINE(a, b); }

struct lz_scatter_args {
    const lz_element* base;
    const lz_i64* indices;
    const lz_element* values;
    lz_element* output;
    lz_target* places;       // for each value its place; or for each place the value that stays
    const lz_u32* order;    // the positions that sort the places
    const lz_target* keys;   // the sorted places, or those of what is left to combine
    lz_wide* partial;       // what is left to combine
    lz_target* partial_keys;
    const lz_wide* given;   // what an earlier step left
    lz_u64* bad;            // the first index out of range; all bits set where there is none
    lz_u64 outer, length, inner, count;
    lz_u64 shared;          // whether there are `count` indices, not one for each value
    lz_u64 items;           // to combine in this step
    lz_u64 columns;         // how many elements each of them has: 1, or those of a row
};

constexpr lz_target lz_nowhere = lz_target(~lz_target(0));

// The position that an index names; nowhere if it is out of range.
LZ_FN lz_target lz_position(const lz_scatter_args& p, lz_u64 at) {
    lz_i64 index = p.indices[at];
    if (index < 0) index += lz_i64(p.length);
    if (index < 0 || index >= lz_i64(p.length)) {
        atomicMin(p.bad, at);
        return lz_nowhere;
    }
    return lz_target(index);
}

// The place of a value; nowhere if its index is out of range.
LZ_FN lz_target lz_place_of(const lz_scatter_args& p, lz_u64 value) {
    lz_u64 block = p.count * p.inner, o = value / block, rest = value - o * block;
    lz_u64 j = rest / p.inner, i = rest - j * p.inner;
    lz_target index = lz_position(p, p.shared ? j : value);
    return index == lz_nowhere ? index : lz_target((o * p.length + index) * p.inner + i);
}

#define LZ_EACH(k, total)                                                                         \
    for (lz_u64 k = lz_u64(blockIdx.x) * blockDim.x + threadIdx.x; k < (total);                   \
         k += lz_u64(gridDim.x) * blockDim.x)

// For each value its place.
extern "C" __global__ void lz_scatter_places(lz_scatter_args p) {
    LZ_EACH(k, p.outer * p.count * p.inner) p.places[k] = lz_place_of(p, k);
}

// For each index the position that it names, where whole rows go to one.
extern "C" __global__ void lz_scatter_positions(lz_scatter_args p) {
    LZ_EACH(k, p.count) p.places[k] = lz_position(p, k);
}

// For each place one more than the last value that comes to it; `places` is zero before.
extern "C" __global__ void lz_scatter_claim(lz_scatter_args p) {
    LZ_EACH(k, p.outer * p.count * p.inner) {
        lz_target place = lz_place_of(p, k);
        if (place != lz_nowhere) atomicMax(&p.places[place], lz_target(k + 1));
    }
}

// Each place takes the value that claimed it.
extern "C" __global__ void lz_scatter_settle(lz_scatter_args p) {
    LZ_EACH(k, p.outer * p.length * p.inner) {
        lz_target claim = p.places[k];
        p.output[k] = claim ? p.values[claim - 1] : p.base[k];
    }
}

LZ_FN lz_wide lz_widen(lz_element x) { return lz_cast<lz_wide>(x); }

// Combines with what is at a place: for columns, at a position and in a column of it.
LZ_FN void lz_arrive(const lz_scatter_args& p, lz_u64 place, lz_u64 column, lz_wide x) {
    if (p.columns > 1) {
        lz_u64 o = column / p.inner, i = column - o * p.inner;
        place = (o * p.length + place) * p.inner + i;
    }
    p.output[place] = lz_cast<lz_element>(lz_combine(lz_widen(p.output[place]), x));
}

// Combines the values of equal places, which are neighbours: a thread takes 32 in their order.
// The runs that begin and end among them go to their places, which already hold the base; the
// first and the last run may go on elsewhere, and are left for the next step, unless one thread
// has all. Where whole rows go to a place, every column has such threads of its own.
constexpr lz_u32 lz_run = 32;
extern "C" __global__ void lz_scatter_combine(lz_scatter_args p) {
    lz_u64 threads = (p.items + lz_run - 1) / lz_run;
    LZ_EACH(at, threads * p.columns) {
        lz_u64 t = at / p.columns, column = at - t * p.columns, o = column / p.inner;
        // The first value of the column, and how far the next one is.
        const lz_element* values = p.values;
        lz_u64 step = 1;
        if (p.columns > 1) values += (o * p.count - o) * p.inner + column, step = p.inner;
        lz_target current = lz_nowhere, left = lz_nowhere;
        lz_wide sum, left_sum;
        bool first = true;
        for (lz_u64 k = t * lz_run; k < p.items && k < (t + 1) * lz_run; ++k) {
            lz_target place = p.keys[k];
            if (place == lz_nowhere) continue;
            lz_wide x = p.given ? p.given[k * p.columns + column] : lz_widen(values[p.order[k] * step]);
            if (place == current) {
                sum = lz_combine(sum, x);
                continue;
            }
            if (current != lz_nowhere) {
                if (first && threads > 1) left = current, left_sum = sum;
                else lz_arrive(p, current, column, sum);
                first = false;
            }
            current = place, sum = x;
        }
        if (threads == 1) {
            if (current != lz_nowhere) lz_arrive(p, current, column, sum);
            continue;
        }
        if (column == 0) p.partial_keys[2 * t] = left, p.partial_keys[2 * t + 1] = current;
        lz_wide* partial = p.partial + 2 * t * p.columns + column;
        if (left != lz_nowhere) partial[0] = left_sum;
        if (current != lz_nowhere) partial[p.columns] = sum;
    }
}
