#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// Begins counting allocations, of all threads, from zero.
void allocations_begin_counting(void);

/// Ends counting.
///
/// Returns how many times memory was asked for meanwhile. Zero where nothing is known, which is everywhere but with glibc.
uint64_t allocations_end_counting(void);

/// How many bytes of the heap are in use. Zero where that is not known.
uint64_t allocations_bytes_in_use(void);

#endif
