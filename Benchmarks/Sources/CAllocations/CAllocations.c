#include "CAllocations.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool is_counting;
static atomic_uint_fast64_t count;

void allocations_begin_counting(void) {
    atomic_store(&count, 0);
    atomic_store(&is_counting, true);
}

uint64_t allocations_end_counting(void) {
    atomic_store(&is_counting, false);
    return atomic_load(&count);
}

#ifdef __GLIBC__
#include <errno.h>
#include <malloc.h>

// These replace the C library's functions in the whole process. While nothing is counted, each costs one load.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void note(void) {
    if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    note();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note();
    void *allocated = __libc_memalign(alignment, size);
    if (!allocated) return ENOMEM;
    *memory = allocated;
    return 0;
}

uint64_t allocations_bytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
#else
uint64_t allocations_bytes_in_use(void) {
    return 0;
}
#endif
