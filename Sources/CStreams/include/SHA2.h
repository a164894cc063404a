// SHA-256 and SHA-512 (FIPS 180-4): the functions of the system's libcrypto, which use the processor's instructions for
// them and are looked up at run time, and portable ones for systems without it.

#ifndef SHA2_H
#define SHA2_H

#include <stddef.h>
#include <stdint.h>

// The state of a hash function: larger than libcrypto's own. It can be copied.
typedef struct SHA2Context {
    uint64_t words[32];
} SHA2Context;

// The functions return 1.
typedef struct SHA2Functions {
    int (*_Nonnull begin)(SHA2Context *_Nonnull context);
    int (*_Nonnull update)(SHA2Context *_Nonnull context, const void *_Nullable bytes, size_t count);
    int (*_Nonnull finish)(uint8_t *_Nonnull digest, SHA2Context *_Nonnull context);
} SHA2Functions;

// The functions of libcrypto, or NULL if the system lacks it. Each is to be called once.
const SHA2Functions *_Nullable streams_load_sha256(void);
const SHA2Functions *_Nullable streams_load_sha512(void);

// The portable functions.
const SHA2Functions *_Nonnull streams_portable_sha256(void);
const SHA2Functions *_Nonnull streams_portable_sha512(void);

#endif
