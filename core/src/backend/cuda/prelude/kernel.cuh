// What kernels in the CUDA model are written with: places in the grid, arrays, shared memory,
// shuffles and votes of the active lanes, atomics.
//
// Under LZ_CHECKED every index is compared with the array's lengths. The first that is out of
// range is noted for the host; such a read gives zeros or what lies in `dump`, and such a write
// ends there. `dump` is memory of the device's record, as large as the largest element.

// ---- Places ----

struct lz_dim3 { lz_u64 x, y, z; };

// A block has at most 1024 threads along an axis. The masks say so: sums of such places and counters
// are then known to fit into 32 bits.
LZ_FN lz_dim3 lz_thread_idx() {
    return {threadIdx.x & 1023, threadIdx.y & 1023, threadIdx.z & 1023};
}
LZ_FN lz_dim3 lz_block_idx() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
LZ_FN lz_dim3 lz_block_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
LZ_FN lz_dim3 lz_grid_dim() { return {gridDim.x, gridDim.y, gridDim.z}; }
// Where no grid has 2^32 threads along an axis, the compiler is told so: it then compares and
// converts places in 32 bits.
#ifdef LZ_NARROW
typedef lz_u32 lz_grid_word;
#else
typedef lz_u64 lz_grid_word;
#endif
// Loops that end below a length of an array count with as many bits. Lengths are below 2^31 there,
// and telling the compiler so spares it the upper words of what is computed from a counter.
typedef lz_grid_word lz_counter;
LZ_FN lz_counter lz_counter_from(lz_u64 from, lz_counter end) {
    return from < end ? lz_counter(from) : end;
}
// What follows `i`, which lies below `end`, in a loop that goes by steps. Where all numbers are below
// 2^31, so is a step that leads beyond any of them, and the sum does not wrap.
LZ_FN lz_counter lz_counter_next(lz_counter i, lz_counter end, lz_u64 by) {
#ifdef LZ_NARROW
    return i + (by - 1 < 0x7fffffffu ? lz_counter(by) : 0x80000000u);
#else
    return lz_rust_next(i, end, by);
#endif
}
LZ_FN lz_u64 lz_counted(lz_counter i) {
#ifdef LZ_NARROW
    LZ_ASSUME(i < 0x7fffffffu);
#endif
    return i;
}
LZ_FN lz_u64 lz_grid_x() { return lz_grid_word(blockIdx.x) * blockDim.x + threadIdx.x; }
LZ_FN lz_u64 lz_grid_y() { return lz_grid_word(blockIdx.y) * blockDim.y + threadIdx.y; }
LZ_FN lz_u64 lz_grid_z() { return lz_grid_word(blockIdx.z) * blockDim.z + threadIdx.z; }
LZ_FN lz_u64 lz_grid_size_x() { return lz_grid_word(gridDim.x) * blockDim.x; }
LZ_FN lz_u64 lz_grid_size_y() { return lz_grid_word(gridDim.y) * blockDim.y; }
LZ_FN lz_u64 lz_grid_size_z() { return lz_grid_word(gridDim.z) * blockDim.z; }
// As many of the numbers as the grid has dimensions.
template <int N> LZ_FN auto lz_place(lz_u64 x, lz_u64 y, lz_u64 z) {
    if constexpr (N == 1) return x;
    else if constexpr (N == 2) return lz_make_tuple(x, y);
    else return lz_make_tuple(x, y, z);
}
template <int N> LZ_FN auto lz_grid() { return lz_place<N>(lz_grid_x(), lz_grid_y(), lz_grid_z()); }
template <int N> LZ_FN auto lz_grid_size() {
    return lz_place<N>(lz_grid_size_x(), lz_grid_size_y(), lz_grid_size_z());
}

// ---- Bounds ----

struct lz_faults {
    // 1 as soon as an index was out of range, 2 once the rest tells of the first such index.
    lz_u32 found, array;
    lz_u32 thread[3], block[3];
    lz_i64 place[6];
    lz_u64 lengths[6];
    lz_u32 kernel, axes;
    alignas(16) unsigned char dump[16];
};

// What bounds checks need to know of an array.
struct lz_checks {
#ifdef LZ_CHECKED
    lz_faults* faults;
    // That of the kernel above that of the array, 32 bits each.
    lz_u64 number;
#endif
};

#ifdef LZ_CHECKED
template <class... P> LZ_FN bool lz_inside(const lz_u64* lengths, P... places) {
    int k = 0;
    bool inside = true;
    ((inside = inside && lz_u64(places) < lengths[k++]), ...);
    return inside;
}
template <class... P>
LZ_FN void lz_note(lz_faults* faults, lz_u64 number, const lz_u64* lengths, P... places) {
    if (atomicCAS(&faults->found, 0u, 1u) != 0u) return;
    faults->array = lz_u32(number), faults->kernel = lz_u32(number >> 32);
    faults->axes = sizeof...(P);
    faults->thread[0] = threadIdx.x, faults->thread[1] = threadIdx.y, faults->thread[2] = threadIdx.z;
    faults->block[0] = blockIdx.x, faults->block[1] = blockIdx.y, faults->block[2] = blockIdx.z;
    int k = 0;
    ((faults->lengths[k] = lengths[k], faults->place[k++] = lz_i64(places)), ...);
    __threadfence_system();
    atomicExch(&faults->found, 2u);
}
#define LZ_IF_OUTSIDE(places, otherwise)                                                         \
    {                                                                                            \
        lz_u64 lz_lengths[6];                                                                    \
        this->lz_copy_lengths(lz_lengths);                                                       \
        if (!lz_inside(lz_lengths, places...)) {                                                 \
            lz_note(this->faults, this->number, lz_lengths, places...);                          \
            otherwise;                                                                           \
        }                                                                                        \
    }
#else
#define LZ_IF_OUTSIDE(places, otherwise)
#endif

// ---- Arrays ----

// N lengths of type I: 32 bits where every offset fits. The type is signed, so that the compiler may
// take the constant part out of an offset.
template <class T, int N, class I> struct lz_lengths : lz_checks {
    T* data;
    I lengths[N > 0 ? N : 1];

    LZ_FN lz_u64 shape(lz_u64 axis) const {
        lz_u64 length = 0;
        for (int k = 0; k < N; ++k) length = axis == lz_u64(k) ? lz_u64(lz_unsigned_t<I>(lengths[k])) : length;
        return length;
    }
    LZ_FN lz_u64 size() const {
        lz_u64 product = 1;
        for (int k = 0; k < N; ++k) product *= lengths[k];
        return product;
    }
    LZ_FN void lz_copy_lengths(lz_u64* to) const {
        for (int k = 0; k < N; ++k) to[k] = lengths[k];
    }
    template <class... P> LZ_FN I offset(P... places) const {
        static_assert(sizeof...(P) == N, "one index for each axis");
        I sum = 0;
        int k = 0;
        ((sum = sum * lengths[k++] + I(places)), ...);
        return sum;
    }
    // The array at place `k` of the first axis. Beside the array it has no elements, so that every
    // index is out of range.
    template <class Row> LZ_FN Row lz_row(lz_u64 k) const {
        Row row;
        static_cast<lz_checks&>(row) = *this;
        I step = 1;
        for (int axis = 1; axis < N; ++axis) step *= row.lengths[axis - 1] = lengths[axis];
#ifdef LZ_CHECKED
        const lz_u64 length = lengths[0];
        if (!lz_inside(&length, k)) {
            lz_note(this->faults, this->number, &length, k);
            for (int axis = 1; axis < N; ++axis) row.lengths[axis - 1] = 0;
            row.data = data;
            return row;
        }
#endif
        row.data = data + I(k) * step;
        return row;
    }
};

// A place that is one value: a tuple or an array in registers.
#define LZ_WHOLE_PLACES                                                                           \
    template <class A, class B> LZ_FN decltype(auto) operator()(lz_tuple<A, B> p) const {        \
        return (*this)(p._0, p._1);                                                              \
    }                                                                                            \
    template <class A, class B, class C>                                                         \
    LZ_FN decltype(auto) operator()(lz_tuple<A, B, C> p) const {                                 \
        return (*this)(p._0, p._1, p._2);                                                        \
    }                                                                                            \
    template <class A> LZ_FN decltype(auto) operator()(lz_array<A, 2> p) const {                 \
        return (*this)(p[0], p[1]);                                                              \
    }                                                                                            \
    template <class A> LZ_FN decltype(auto) operator()(lz_array<A, 3> p) const {                 \
        return (*this)(p[0], p[1], p[2]);                                                        \
    }

// The elements of an array with one axis, one after another.
template <class T, class A> LZ_FN T lz_sum_of(const A& a) {
    T sum = T();
    for (lz_u64 i = 0; i < a.size(); ++i) sum = lz_add(sum, T(a(i)));
    return sum;
}

// An array that nobody writes.
template <class T, int N, class I> struct lz_view : lz_lengths<const T, N, I> {
    LZ_WHOLE_PLACES
    template <class... P> LZ_FN T operator()(P... places) const {
        LZ_IF_OUTSIDE(places, return T())
        return lz_load_readonly<1>(this->data + this->offset(places...)).v[0];
    }
    LZ_FN auto row(lz_u64 k) const { return this->template lz_row<lz_view<T, N - 1, I>>(k); }
    LZ_FN T sum() const { return lz_sum_of<T>(*this); }
    // An array without axes is its element.
    LZ_FN operator T() const {
        static_assert(N == 0, "an array of one element");
        return (*this)();
    }
};

// An array that every thread may write.
template <class T, int N, class I> struct lz_view_mut : lz_lengths<T, N, I> {
    LZ_WHOLE_PLACES
    template <class... P> LZ_FN T& operator()(P... places) const {
        LZ_IF_OUTSIDE(places, return *reinterpret_cast<T*>(this->faults->dump))
        return this->data[this->offset(places...)];
    }
    LZ_FN auto row(lz_u64 k) const { return this->template lz_row<lz_view_mut<T, N - 1, I>>(k); }
    LZ_FN T sum() const { return lz_sum_of<T>(*this); }
    LZ_FN operator T&() const {
        static_assert(N == 0, "an array of one element");
        return (*this)();
    }
};

// An array of constant lengths in the memory that a block shares.
template <class T, int... L> struct lz_shared : lz_checks {
    struct memory { alignas(16) unsigned char bytes[sizeof(T) * (L * ...)]; };
    T* data;

    LZ_WHOLE_PLACES
    static constexpr int N = sizeof...(L);
    LZ_FN static lz_u64 shape(lz_u64 axis) {
        constexpr lz_u64 lengths[] = {L...};
        return axis < N ? lengths[axis] : 0;
    }
    LZ_FN static lz_u64 size() { return (lz_u64(L) * ...); }
    LZ_FN static void lz_copy_lengths(lz_u64* to) {
        int k = 0;
        ((to[k++] = L), ...);
    }
    template <class... P> LZ_FN T& operator()(P... places) const {
        static_assert(sizeof...(P) == N, "one index for each axis");
        LZ_IF_OUTSIDE(places, return *reinterpret_cast<T*>(this->faults->dump))
        int sum = 0;
        ((sum = sum * L + int(places)), ...);
        return data[sum];
    }
};

// The memory whose size the launch gives.
template <class T> struct lz_dynamic_shared : lz_view_mut<T, 1, lz_i32> {};

// Declares a shared array; `lz_faults_of_kernel` and `lz_number_of_kernel` stand in every kernel.
#ifdef LZ_CHECKED
#define LZ_SHARED(name, ...)                                                                      \
    __shared__ __VA_ARGS__::memory name##_memory;                                                       \
    __VA_ARGS__ name;                                                                                   \
    name.faults = lz_faults_of_kernel, name.number = lz_number_of_kernel | 0xffffffffu;          \
    name.data = reinterpret_cast<decltype(name.data)>(name##_memory.bytes)
#else
#define LZ_SHARED(name, ...)                                                                      \
    __shared__ __VA_ARGS__::memory name##_memory;                                                       \
    __VA_ARGS__ name;                                                                                   \
    name.data = reinterpret_cast<decltype(name.data)>(name##_memory.bytes)
#endif

template <class S>
LZ_FN S lz_make_dynamic(unsigned char* bytes, lz_u32 count, lz_faults* faults, lz_u64 number) {
    S made;
    made.data = reinterpret_cast<decltype(made.data)>(bytes);
    made.lengths[0] = count / sizeof(*made.data);
#ifdef LZ_CHECKED
    made.faults = faults, made.number = number | 0xffffffffu;
#endif
    return made;
}

// ---- Lanes that are active together ----

#define LZ_ACTIVE_SHUFFLE(name, shuffle)                                                         \
    template <class T> LZ_FN T name(T x, lz_u32 lane) {                                          \
        constexpr int words = (sizeof(T) + 3) / 4;                                               \
        const unsigned active = __activemask();                                                  \
        lz_u32 w[words] = {};                                                                    \
        memcpy(w, &x, sizeof(T));                                                                \
        for (int i = 0; i < words; ++i) w[i] = shuffle(active, w[i], lane);                      \
        memcpy(&x, w, sizeof(T));                                                                \
        return x;                                                                                \
    }
LZ_ACTIVE_SHUFFLE(lz_active_shuffle, __shfl_sync)
LZ_ACTIVE_SHUFFLE(lz_active_xor, __shfl_xor_sync)
LZ_ACTIVE_SHUFFLE(lz_active_up, __shfl_up_sync)
LZ_ACTIVE_SHUFFLE(lz_active_down, __shfl_down_sync)
template <class T> LZ_FN T lz_gpu_shuffle(T x, lz_u32 lane) { return lz_active_shuffle(x, lane & 31); }
template <class T> LZ_FN T lz_gpu_shuffle_xor(T x, lz_u32 bits) { return lz_active_xor(x, bits & 31); }
// A lane that is not there: the own value.
template <class T> LZ_FN T lz_gpu_shuffle_up(T x, lz_u32 by) { return lz_active_up(x, by > 31 ? 0 : by); }
template <class T> LZ_FN T lz_gpu_shuffle_down(T x, lz_u32 by) { return lz_active_down(x, by > 31 ? 0 : by); }
LZ_FN lz_u32 lz_gpu_ballot(bool predicate) { return __ballot_sync(__activemask(), predicate); }
LZ_FN bool lz_gpu_any(bool predicate) { return __any_sync(__activemask(), predicate) != 0; }
LZ_FN bool lz_gpu_all(bool predicate) { return __all_sync(__activemask(), predicate) != 0; }

// ---- Atomics ----

// Any change of 2, 4 or 8 bytes, by trying again while others come between.
template <class T, class F> LZ_FN T lz_atomic_update(T* at, F change) {
    typedef lz_unsigned_t<T> W;
    W* word = reinterpret_cast<W*>(at);
    W old = *reinterpret_cast<volatile W*>(word);
    for (;;) {
        W seen = atomicCAS(word, old, lz_bitcast<W>(change(lz_bitcast<T>(old))));
        if (seen == old) return lz_bitcast<T>(old);
        old = seen;
    }
}
template <class T> constexpr bool lz_is_native = lz_same<T, lz_i32> || lz_same<T, lz_u32> || lz_same<T, lz_u64>;

template <class T> LZ_FN T lz_atomic_add(T* at, T value) {
    if constexpr (lz_is_native<T> || lz_same<T, float> || lz_same<T, double>) return atomicAdd(at, value);
    else if constexpr (lz_same<T, lz_i64>) return T(atomicAdd(reinterpret_cast<lz_u64*>(at), lz_u64(value)));
    else return lz_atomic_update(at, [=](T old) { return lz_add(old, value); });
}
template <class T> LZ_FN T lz_atomic_sub(T* at, T value) {
    if constexpr (lz_is_half<T>)
        return lz_atomic_update(at, [=](T old) { return lz_subtract(old, value); });
    else return lz_atomic_add(at, lz_negative(value));
}
template <class T> LZ_FN T lz_atomic_min(T* at, T value) {
    if constexpr (lz_is_native<T> || lz_same<T, lz_i64>) return atomicMin(at, value);
    else return lz_atomic_update(at, [=](T old) { return lz_fmin(old, value); });
}
template <class T> LZ_FN T lz_atomic_max(T* at, T value) {
    if constexpr (lz_is_native<T> || lz_same<T, lz_i64>) return atomicMax(at, value);
    else return lz_atomic_update(at, [=](T old) { return lz_fmax(old, value); });
}
template <class T> LZ_FN T lz_atomic_exchange(T* at, T value) {
    typedef lz_unsigned_t<T> W;
    if constexpr (sizeof(T) == 2) return lz_atomic_update(at, [=](T) { return value; });
    else return lz_bitcast<T>(atomicExch(reinterpret_cast<W*>(at), lz_bitcast<W>(value)));
}
template <class T> LZ_FN T lz_atomic_compare_exchange(T* at, T expected, T value) {
    typedef lz_unsigned_t<T> W;
    return lz_bitcast<T>(atomicCAS(reinterpret_cast<W*>(at), lz_bitcast<W>(expected), lz_bitcast<W>(value)));
}
template <class T> LZ_FN T lz_atomic_and(T* at, T value) {
    typedef lz_unsigned_t<T> W;
    return T(atomicAnd(reinterpret_cast<W*>(at), W(value)));
}
template <class T> LZ_FN T lz_atomic_or(T* at, T value) {
    typedef lz_unsigned_t<T> W;
    return T(atomicOr(reinterpret_cast<W*>(at), W(value)));
}
template <class T> LZ_FN T lz_atomic_xor(T* at, T value) {
    typedef lz_unsigned_t<T> W;
    return T(atomicXor(reinterpret_cast<W*>(at), W(value)));
}
