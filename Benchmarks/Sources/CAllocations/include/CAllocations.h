#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// Begins counting allocations, of all threads, from zero.
void allocations_begin_counting(void);

/// Ends counting.
///
/// Returns the number of allocations since the beginning. Always zero without glibc.
uint64_t allocations_end_counting(void);

/// The number of bytes of the heap in use; zero if it is unknown.
uint64_t allocations_bytes_in_use(void);

#endif
