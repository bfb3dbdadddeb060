// Runs a CUDA kernel on the processor: what the language and the device have built in, for g++.
//
// Every thread of a block is a coroutine with a stack of its own; it runs until it must wait for
// others (a barrier, a shuffle, a vote) or ends. Blocks run one after another, so that atomics
// need nothing. A barrier that not all threads reach is found and reported. The order in which
// the threads run alternates from block to block, so that a missing barrier shows.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define LZ_EMULATE 1
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __constant__
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define __grid_constant__
#define __CUDACC__ 1

struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x = 1, y = 1, z = 1; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };

// ---- Threads ----

enum lz_emulated_state { LZ_READY, LZ_AT_BLOCK_BARRIER, LZ_AT_WARP_BARRIER, LZ_DONE };

struct lz_emulated_thread {
    uint3 index;
    lz_emulated_state state;
    unsigned mask;
    unsigned number;
#if defined(__x86_64__)
    void* stack_pointer;
#else
    ucontext_t context;
#endif
};

static const size_t lz_emulated_stack = 128 << 10;
static const unsigned lz_emulated_most_threads = 1024;
static lz_emulated_thread lz_emulated_threads[lz_emulated_most_threads];
static lz_emulated_thread* lz_emulated_current;
static char* lz_emulated_stacks;
static unsigned char* lz_emulated_dynamic;
static void (*lz_emulated_call)();
static uint3 lz_emulated_block_index;
static dim3 lz_emulated_block, lz_emulated_grid;
// What the lanes of a warp lay out for each other.
static unsigned char lz_emulated_slots[lz_emulated_most_threads / 32][32][16];

#define threadIdx (lz_emulated_current->index)
#define blockIdx lz_emulated_block_index
#define blockDim lz_emulated_block
#define gridDim lz_emulated_grid
#define warpSize 32

inline unsigned char* lz_emulated_dynamic_shared() { return lz_emulated_dynamic; }

#if defined(__x86_64__)
// Saves the registers that a call keeps, and takes up another stack where it left off.
extern "C" __attribute__((visibility("hidden"))) void lz_emulated_switch(void** from, void* to);
asm(".text\n"
    ".p2align 4\n"
    ".globl lz_emulated_switch\n"
    ".hidden lz_emulated_switch\n"
    ".type lz_emulated_switch, @function\n"
    "lz_emulated_switch:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n"
    ".size lz_emulated_switch, .-lz_emulated_switch\n");
static void* lz_emulated_scheduler;
static void lz_emulated_yield() {
    lz_emulated_switch(&lz_emulated_current->stack_pointer, lz_emulated_scheduler);
}
static void lz_emulated_resume(lz_emulated_thread* t) {
    lz_emulated_switch(&lz_emulated_scheduler, t->stack_pointer);
}
#else
static ucontext_t lz_emulated_scheduler;
static void lz_emulated_yield() { swapcontext(&lz_emulated_current->context, &lz_emulated_scheduler); }
static void lz_emulated_resume(lz_emulated_thread* t) { swapcontext(&lz_emulated_scheduler, &t->context); }
#endif

static void lz_emulated_start() {
    lz_emulated_call();
    lz_emulated_current->state = LZ_DONE;
    lz_emulated_yield();
    abort();
}

static void lz_emulated_prepare(lz_emulated_thread* t) {
    char* stack = lz_emulated_stacks + t->number * lz_emulated_stack;
    t->state = LZ_READY;
#if defined(__x86_64__)
    // A return address under six registers; a function begins 8 bytes off a multiple of 16.
    void** top = (void**)(stack + lz_emulated_stack) - 2;
    *top = (void*)lz_emulated_start;
    t->stack_pointer = top - 6;
    memset(t->stack_pointer, 0, 6 * sizeof(void*));
#else
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = stack;
    t->context.uc_stack.ss_size = lz_emulated_stack;
    t->context.uc_link = nullptr;
    makecontext(&t->context, lz_emulated_start, 0);
#endif
}

static unsigned lz_emulated_count() {
    return lz_emulated_block.x * lz_emulated_block.y * lz_emulated_block.z;
}
static unsigned lz_emulated_alive(unsigned warp) {
    unsigned alive = 0;
    for (unsigned lane = 0; lane < 32 && warp * 32 + lane < lz_emulated_count(); ++lane)
        if (lz_emulated_threads[warp * 32 + lane].state != LZ_DONE) alive |= 1u << lane;
    return alive;
}

// Lets the lanes go whose whole mask has arrived.
static void lz_emulated_release_warp(unsigned warp) {
    unsigned alive = lz_emulated_alive(warp);
    lz_emulated_thread* lanes = lz_emulated_threads + warp * 32;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(alive >> lane & 1) || lanes[lane].state != LZ_AT_WARP_BARRIER) continue;
        unsigned wanted = (lanes[lane].mask | 1u << lane) & alive;
        bool all = true;
        for (unsigned other = 0; other < 32; ++other)
            if (wanted >> other & 1)
                all &= lanes[other].state == LZ_AT_WARP_BARRIER && lanes[other].mask == lanes[lane].mask;
        for (unsigned other = 0; all && other < 32; ++other)
            if (wanted >> other & 1) lanes[other].state = LZ_READY;
    }
}

// Runs one block; whether every barrier was reached by all.
static bool lz_emulated_run_block(bool backwards) {
    unsigned count = lz_emulated_count(), warps = (count + 31) / 32;
    for (unsigned i = 0; i < count; ++i) {
        lz_emulated_threads[i].number = i;
        lz_emulated_threads[i].index = uint3{i % lz_emulated_block.x,
            i / lz_emulated_block.x % lz_emulated_block.y, i / (lz_emulated_block.x * lz_emulated_block.y)};
        lz_emulated_prepare(lz_emulated_threads + i);
    }
    for (;;) {
        for (unsigned i = 0; i < count; ++i) {
            lz_emulated_thread* t = lz_emulated_threads + (backwards ? count - 1 - i : i);
            if (t->state != LZ_READY) continue;
            lz_emulated_current = t;
            lz_emulated_resume(t);
        }
        for (unsigned warp = 0; warp < warps; ++warp) lz_emulated_release_warp(warp);
        unsigned ready = 0, done = 0, waiting = 0;
        for (unsigned i = 0; i < count; ++i) {
            ready += lz_emulated_threads[i].state == LZ_READY;
            done += lz_emulated_threads[i].state == LZ_DONE;
            waiting += lz_emulated_threads[i].state == LZ_AT_BLOCK_BARRIER;
        }
        if (done == count) return true;
        if (ready) continue;
        if (waiting + done != count) return false;
        for (unsigned i = 0; i < count; ++i)
            if (lz_emulated_threads[i].state == LZ_AT_BLOCK_BARRIER) lz_emulated_threads[i].state = LZ_READY;
    }
}

// Runs a grid. On failure the message says what happened, and 1 is returned.
static int lz_emulated_run(const unsigned* grid, const unsigned* block, size_t shared, char* message, size_t length) {
    lz_emulated_grid.x = grid[0], lz_emulated_grid.y = grid[1], lz_emulated_grid.z = grid[2];
    lz_emulated_block.x = block[0], lz_emulated_block.y = block[1], lz_emulated_block.z = block[2];
    size_t threads = (size_t)block[0] * block[1] * block[2];
    if (threads == 0 || threads > lz_emulated_most_threads) {
        snprintf(message, length, "a block of %zu threads", threads);
        return 1;
    }
    if (!lz_emulated_stacks) {
        size_t bytes = lz_emulated_stack * lz_emulated_most_threads;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        lz_emulated_stacks = (char*)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (lz_emulated_stacks == MAP_FAILED) abort();
    }
    lz_emulated_dynamic = (unsigned char*)aligned_alloc(128, (shared + 255) & ~(size_t)127);
    int failed = 0;
    size_t number = 0;
    for (unsigned z = 0; z < grid[2] && !failed; ++z)
        for (unsigned y = 0; y < grid[1] && !failed; ++y)
            for (unsigned x = 0; x < grid[0] && !failed; ++x) {
                lz_emulated_block_index = uint3{x, y, z};
                // Shared memory begins undefined: NaN as a float, and no plausible integer.
                memset(lz_emulated_dynamic, 0xff, shared);
                if (lz_emulated_run_block(number++ & 1)) continue;
                snprintf(message, length, "block (%u, %u, %u): threads wait at different barriers", x, y, z);
                failed = 1;
            }
    free(lz_emulated_dynamic);
    return failed;
}

// Calls a kernel of one parameter by value with the bytes at `argument`.
template <class A> struct lz_emulated_kernel {
    static void (*function)(A);
    static const A* argument;
    static void call() { function(*argument); }
};
template <class A> void (*lz_emulated_kernel<A>::function)(A);
template <class A> const A* lz_emulated_kernel<A>::argument;

template <class A>
static int lz_emulated_run_kernel(void (*function)(A), const unsigned* grid, const unsigned* block, size_t shared,
                                  const void* argument, size_t size, char* message, size_t length) {
    if (size != sizeof(A)) {
        snprintf(message, length, "the argument has %zu bytes, and the kernel takes %zu", size, sizeof(A));
        return 1;
    }
    A* copy = (A*)aligned_alloc(64, (sizeof(A) + 63) & ~(size_t)63);
    memcpy((void*)copy, argument, sizeof(A));
    lz_emulated_kernel<A>::function = function;
    lz_emulated_kernel<A>::argument = copy;
    lz_emulated_call = lz_emulated_kernel<A>::call;
    int failed = lz_emulated_run(grid, block, shared, message, length);
    free(copy);
    return failed;
}

// Exports a kernel as the entry that the loader calls.
#define LZ_EMULATE_ENTRY(kernel)                                                                  \
    extern "C" __attribute__((visibility("default"))) int lz_emulate_entry(                       \
        const unsigned* grid, const unsigned* block, size_t shared, const void* argument,         \
        size_t size, char* message, size_t length) {                                              \
        return lz_emulated_run_kernel(kernel, grid, block, shared, argument, size, message, length); \
    }

// ---- Barriers, votes and shuffles ----

inline void __syncthreads() {
    lz_emulated_current->state = LZ_AT_BLOCK_BARRIER;
    lz_emulated_yield();
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
    lz_emulated_current->state = LZ_AT_WARP_BARRIER;
    lz_emulated_current->mask = mask;
    lz_emulated_yield();
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

template <class T> inline T lz_emulated_exchange(unsigned mask, T value, int from) {
    static_assert(sizeof(T) <= 16, "a lane lays out at most 16 bytes");
    auto& slots = lz_emulated_slots[lz_emulated_current->number / 32];
    memcpy(slots[lz_emulated_current->number % 32], &value, sizeof(T));
    __syncwarp(mask);
    memcpy(&value, slots[from], sizeof(T));
    __syncwarp(mask);
    return value;
}
inline int lz_emulated_lane() { return lz_emulated_current->number % 32; }
template <class T> inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
    int lane = lz_emulated_lane();
    return lz_emulated_exchange(mask, value, (lane & ~(width - 1)) + (from & (width - 1)));
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    int lane = lz_emulated_lane(), from = lane ^ bits;
    return lz_emulated_exchange(mask, value, from < (lane | (width - 1)) + 1 ? from : lane);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
    int lane = lz_emulated_lane(), from = lane - (int)by;
    return lz_emulated_exchange(mask, value, from >= (lane & ~(width - 1)) ? from : lane);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
    int lane = lz_emulated_lane(), from = lane + (int)by;
    return lz_emulated_exchange(mask, value, from <= (lane | (width - 1)) ? from : lane);
}
inline unsigned __activemask() { return lz_emulated_alive(lz_emulated_current->number / 32); }
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    unsigned warp = lz_emulated_current->number / 32, votes = 0;
    unsigned named = mask & lz_emulated_alive(warp);
    lz_emulated_slots[warp][lz_emulated_lane()][0] = predicate != 0;
    __syncwarp(mask);
    for (int lane = 0; lane < 32; ++lane)
        if (named >> lane & 1) votes |= (unsigned)lz_emulated_slots[warp][lane][0] << lane;
    __syncwarp(mask);
    return votes;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
static int lz_emulated_votes;
inline int __syncthreads_count(int predicate) {
    __syncthreads();
    lz_emulated_votes = 0;
    __syncthreads();
    lz_emulated_votes += predicate != 0;
    __syncthreads();
    return lz_emulated_votes;
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

// ---- Atomics: one thread runs at a time ----

template <class T> inline T lz_emulated_swap(T* p, T value) { T old = *p; *p = value; return old; }
template <class T> inline T atomicAdd(T* p, T value) { return lz_emulated_swap(p, T(*p + value)); }
template <class T> inline T atomicSub(T* p, T value) { return lz_emulated_swap(p, T(*p - value)); }
template <class T> inline T atomicMax(T* p, T value) { return lz_emulated_swap(p, *p > value ? *p : value); }
template <class T> inline T atomicMin(T* p, T value) { return lz_emulated_swap(p, *p < value ? *p : value); }
template <class T> inline T atomicOr(T* p, T value) { return lz_emulated_swap(p, T(*p | value)); }
template <class T> inline T atomicAnd(T* p, T value) { return lz_emulated_swap(p, T(*p & value)); }
template <class T> inline T atomicXor(T* p, T value) { return lz_emulated_swap(p, T(*p ^ value)); }
template <class T> inline T atomicExch(T* p, T value) { return lz_emulated_swap(p, value); }
template <class T> inline T atomicCAS(T* p, T expected, T value) { return lz_emulated_swap(p, *p == expected ? value : *p); }
inline unsigned atomicInc(unsigned* p, unsigned last) { return lz_emulated_swap(p, *p >= last ? 0 : *p + 1); }
inline unsigned atomicDec(unsigned* p, unsigned first) { return lz_emulated_swap(p, *p == 0 || *p > first ? first : *p - 1); }

#include "lz_emulate_math.h"
