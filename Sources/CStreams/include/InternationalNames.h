// The part of libidn2 that maps names of hosts, declared here so that no development package is needed, and looked up
// at run time: nearly every libcurl brings it into the process, but not every system has it.

#ifndef INTERNATIONAL_NAMES_H
#define INTERNATIONAL_NAMES_H

#include <stdint.h>

enum Idn2Flag { Idn2NormalizeInput = 1, Idn2Transitional = 4, Idn2NonTransitional = 8 };

typedef struct Idn2 {
    // Returns 0 if the name, in UTF-8, is allowed.
    int (*_Nonnull lookup)(const uint8_t *_Nonnull name, uint8_t *_Nullable *_Nonnull result, int flags);
    void (*_Nonnull free)(void *_Nullable result);
} Idn2;

// The functions of the library, or NULL if the system lacks it. Is to be called once.
const Idn2 *_Nullable streams_load_idn2(void);

#endif
