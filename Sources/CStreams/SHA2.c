#include "SHA2.h"

#include <string.h>

#include "Library.h"

static const SHA2Functions *load(SHA2Functions *functions, const char *begin, const char *update, const char *finish) {
    const struct Symbol symbols[] = {
        {begin, &functions->begin},
        {update, &functions->update},
        {finish, &functions->finish},
    };
    const size_t count = sizeof symbols / sizeof *symbols;
    // Both versions have these functions and their contexts. A later one need not.
    const bool isLoaded = streams_load(LIBRARY("crypto", "3"), symbols, count)
        || streams_load(LIBRARY("crypto", "1.1"), symbols, count);
    return isLoaded ? functions : NULL;
}

const SHA2Functions *streams_load_sha256(void) {
    static SHA2Functions functions;
    return load(&functions, "SHA256_Init", "SHA256_Update", "SHA256_Final");
}

const SHA2Functions *streams_load_sha512(void) {
    static SHA2Functions functions;
    return load(&functions, "SHA512_Init", "SHA512_Update", "SHA512_Final");
}

// The first 64 bits of the fractional parts of the cube roots of the first 80 primes. SHA-256 uses the upper half of
// the first 64.
static const uint64_t constants[80] = {
    0x428a2f98d728ae22u, 0x7137449123ef65cdu, 0xb5c0fbcfec4d3b2fu, 0xe9b5dba58189dbbcu, 0x3956c25bf348b538u,
    0x59f111f1b605d019u, 0x923f82a4af194f9bu, 0xab1c5ed5da6d8118u, 0xd807aa98a3030242u, 0x12835b0145706fbeu,
    0x243185be4ee4b28cu, 0x550c7dc3d5ffb4e2u, 0x72be5d74f27b896fu, 0x80deb1fe3b1696b1u, 0x9bdc06a725c71235u,
    0xc19bf174cf692694u, 0xe49b69c19ef14ad2u, 0xefbe4786384f25e3u, 0x0fc19dc68b8cd5b5u, 0x240ca1cc77ac9c65u,
    0x2de92c6f592b0275u, 0x4a7484aa6ea6e483u, 0x5cb0a9dcbd41fbd4u, 0x76f988da831153b5u, 0x983e5152ee66dfabu,
    0xa831c66d2db43210u, 0xb00327c898fb213fu, 0xbf597fc7beef0ee4u, 0xc6e00bf33da88fc2u, 0xd5a79147930aa725u,
    0x06ca6351e003826fu, 0x142929670a0e6e70u, 0x27b70a8546d22ffcu, 0x2e1b21385c26c926u, 0x4d2c6dfc5ac42aedu,
    0x53380d139d95b3dfu, 0x650a73548baf63deu, 0x766a0abb3c77b2a8u, 0x81c2c92e47edaee6u, 0x92722c851482353bu,
    0xa2bfe8a14cf10364u, 0xa81a664bbc423001u, 0xc24b8b70d0f89791u, 0xc76c51a30654be30u, 0xd192e819d6ef5218u,
    0xd69906245565a910u, 0xf40e35855771202au, 0x106aa07032bbd1b8u, 0x19a4c116b8d2d0c8u, 0x1e376c085141ab53u,
    0x2748774cdf8eeb99u, 0x34b0bcb5e19b48a8u, 0x391c0cb3c5c95a63u, 0x4ed8aa4ae3418acbu, 0x5b9cca4f7763e373u,
    0x682e6ff3d6b2b8a3u, 0x748f82ee5defb2fcu, 0x78a5636f43172f60u, 0x84c87814a1f0ab72u, 0x8cc702081a6439ecu,
    0x90befffa23631e28u, 0xa4506cebde82bde9u, 0xbef9a3f7b2c67915u, 0xc67178f2e372532bu, 0xca273eceea26619cu,
    0xd186b8c721c0c207u, 0xeada7dd6cde0eb1eu, 0xf57d4f7fee6ed178u, 0x06f067aa72176fbau, 0x0a637dc5a2c898a6u,
    0x113f9804bef90daeu, 0x1b710b35131c471bu, 0x28db77f523047d84u, 0x32caab7b40c72493u, 0x3c9ebe0a15c9bebcu,
    0x431d67c49c100d4cu, 0x4cc5d4becb3e42b6u, 0x597f299cfc657e2au, 0x5fcb6fab3ad6faecu, 0x6c44198c4a475817u,
};

// The first 64 bits of the fractional parts of the square roots of the first 8 primes. SHA-256 uses the upper half.
static const uint64_t initialState[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u, 0x510e527fade682d1u,
    0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

// The portable state, in a context.
struct State {
    // SHA-256 uses the lower half of each word.
    uint64_t words[8];
    // The number of bytes of the message.
    uint64_t count;
    // The bytes after the last whole block.
    uint8_t rest[128];
};

_Static_assert(sizeof(struct State) <= sizeof(SHA2Context), "a context is large enough");

// The bits of a word rotated to the right.
#define ROTATED(WORD, COUNT) ((WORD) >> (COUNT) | (WORD) << (8 * sizeof(WORD) - (COUNT)))

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIG_ENDIAN_32(WORD) (WORD)
#define BIG_ENDIAN_64(WORD) (WORD)
#else
#define BIG_ENDIAN_32(WORD) __builtin_bswap32(WORD)
#define BIG_ENDIAN_64(WORD) __builtin_bswap64(WORD)
#endif

static void storeBigEndian(uint64_t word, int size, uint8_t *bytes) {
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(word >> 8 * (size - 1 - i));
}

// The working variables are kept in registers: without optimisation, each step would otherwise read and write memory.
static void compress256(uint64_t *words, const uint8_t *block) {
    uint32_t schedule[64];
    memcpy(schedule, block, 64);
    for (int i = 0; i < 16; i++) schedule[i] = BIG_ENDIAN_32(schedule[i]);
    for (int i = 16; i < 64; i++) {
        register uint32_t x = schedule[i - 15], y = schedule[i - 2];
        schedule[i] = schedule[i - 16] + (ROTATED(x, 7) ^ ROTATED(x, 18) ^ x >> 3) + schedule[i - 7]
            + (ROTATED(y, 17) ^ ROTATED(y, 19) ^ y >> 10);
    }
    register uint32_t a = (uint32_t)words[0], b = (uint32_t)words[1], c = (uint32_t)words[2], d = (uint32_t)words[3];
    register uint32_t e = (uint32_t)words[4], f = (uint32_t)words[5], g = (uint32_t)words[6], h = (uint32_t)words[7];
    for (int i = 0; i < 64; i++) {
        register uint32_t x = h + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + ((e & f) ^ (~e & g))
            + (uint32_t)(constants[i] >> 32) + schedule[i];
        register uint32_t y = (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
    }
    const uint32_t changes[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) words[i] = (uint32_t)words[i] + changes[i];
}

static void compress512(uint64_t *words, const uint8_t *block) {
    uint64_t schedule[80];
    memcpy(schedule, block, 128);
    for (int i = 0; i < 16; i++) schedule[i] = BIG_ENDIAN_64(schedule[i]);
    for (int i = 16; i < 80; i++) {
        register uint64_t x = schedule[i - 15], y = schedule[i - 2];
        schedule[i] = schedule[i - 16] + (ROTATED(x, 1) ^ ROTATED(x, 8) ^ x >> 7) + schedule[i - 7]
            + (ROTATED(y, 19) ^ ROTATED(y, 61) ^ y >> 6);
    }
    register uint64_t a = words[0], b = words[1], c = words[2], d = words[3];
    register uint64_t e = words[4], f = words[5], g = words[6], h = words[7];
    for (int i = 0; i < 80; i++) {
        register uint64_t x = h + (ROTATED(e, 14) ^ ROTATED(e, 18) ^ ROTATED(e, 41)) + ((e & f) ^ (~e & g))
            + constants[i] + schedule[i];
        register uint64_t y = (ROTATED(a, 28) ^ ROTATED(a, 34) ^ ROTATED(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
    }
    const uint64_t changes[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) words[i] += changes[i];
}

typedef void Compress(uint64_t *words, const uint8_t *block);

static int begin(SHA2Context *context, int shift) {
    struct State *state = (struct State *)context;
    memset(state, 0, sizeof *state);
    for (int i = 0; i < 8; i++) state->words[i] = initialState[i] >> shift;
    return 1;
}

static int update(SHA2Context *context, const uint8_t *bytes, size_t count, size_t blockSize, Compress *compress) {
    struct State *state = (struct State *)context;
    size_t restCount = state->count % blockSize;
    state->count += count;
    if (restCount > 0) {
        const size_t missing = blockSize - restCount, head = count < missing ? count : missing;
        memcpy(state->rest + restCount, bytes, head);
        if (head < missing) return 1;
        compress(state->words, state->rest);
        bytes += head, count -= head;
    }
    for (; count >= blockSize; bytes += blockSize, count -= blockSize) compress(state->words, bytes);
    if (count > 0) memcpy(state->rest, bytes, count);
    return 1;
}

// Appends a one bit, zeros, and the length in bits, which fill the last block.
static int finish(uint8_t *digest, SHA2Context *context, size_t blockSize, Compress *compress) {
    struct State *state = (struct State *)context;
    const uint64_t count = state->count;
    const size_t lengthSize = blockSize / 8, end = (count + 1 + lengthSize) % blockSize;
    uint8_t padding[256] = {0x80};
    const size_t paddingCount = 1 + (end == 0 ? 0 : blockSize - end) + lengthSize;
    storeBigEndian(count << 3, 8, padding + paddingCount - 8);
    update(context, padding, paddingCount, blockSize, compress);
    const int wordSize = (int)blockSize / 16;
    for (int i = 0; i < 8; i++) storeBigEndian(state->words[i], wordSize, digest + i * wordSize);
    return 1;
}

static int begin256(SHA2Context *context) {
    return begin(context, 32);
}

static int update256(SHA2Context *context, const void *bytes, size_t count) {
    return update(context, bytes, count, 64, compress256);
}

static int finish256(uint8_t *digest, SHA2Context *context) {
    return finish(digest, context, 64, compress256);
}

static int begin512(SHA2Context *context) {
    return begin(context, 0);
}

static int update512(SHA2Context *context, const void *bytes, size_t count) {
    return update(context, bytes, count, 128, compress512);
}

static int finish512(uint8_t *digest, SHA2Context *context) {
    return finish(digest, context, 128, compress512);
}

const SHA2Functions *streams_portable_sha256(void) {
    static const SHA2Functions functions = {begin256, update256, finish256};
    return &functions;
}

const SHA2Functions *streams_portable_sha512(void) {
    static const SHA2Functions functions = {begin512, update512, finish512};
    return &functions;
}
