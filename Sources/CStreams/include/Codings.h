// The parts of zlib, libbrotlidec and libzstd that decode content, and of zlib that compresses, declared here so that no
// development package is needed, and looked up at run time: nearly every libcurl brings them into the process, but not
// every system has all.

#ifndef CODINGS_H
#define CODINGS_H

#include <stddef.h>
#include <stdint.h>

// zlib's struct z_stream.
typedef struct ZlibStream {
    const uint8_t *_Nullable input;
    unsigned int inputCount;
    unsigned long totalInput;
    uint8_t *_Nullable output;
    unsigned int outputCount;
    unsigned long totalOutput;
    const char *_Nullable message;
    void *_Nullable state;
    void *_Nullable allocate;
    void *_Nullable deallocate;
    void *_Nullable context;
    int dataType;
    unsigned long checksum;
    unsigned long reserved;
} ZlibStream;

// The usual level, the only method, the usual memory, and the usual strategy of compression.
enum ZlibDeflating { ZlibLevel = -1, ZlibMethod = 8, ZlibMemory = 8, ZlibStrategy = 0 };
enum ZlibFlush { ZlibNoFlush = 0, ZlibSyncFlush = 2, ZlibFinish = 4 };
enum ZlibResult { ZlibOK = 0, ZlibStreamEnd = 1, ZlibNoProgress = -5 };
// The format around the compressed data, with a window of 32 KiB.
enum ZlibFormat { ZlibFormatZlib = 15, ZlibFormatGzip = 31, ZlibFormatRaw = -15 };

typedef struct Zlib {
    const char *_Nullable (*_Nonnull version)(void);
    int (*_Nonnull begin)(ZlibStream *_Nonnull stream, int format, const char *_Nullable version, int streamSize);
    int (*_Nonnull inflate)(ZlibStream *_Nonnull stream, int flush);
    int (*_Nonnull reset)(ZlibStream *_Nonnull stream);
    int (*_Nonnull end)(ZlibStream *_Nonnull stream);
    int (*_Nonnull beginDeflating)(
        ZlibStream *_Nonnull stream, int level, int method, int format, int memoryLevel, int strategy,
        const char *_Nullable version, int streamSize);
    int (*_Nonnull deflate)(ZlibStream *_Nonnull stream, int flush);
    int (*_Nonnull resetDeflating)(ZlibStream *_Nonnull stream);
    int (*_Nonnull endDeflating)(ZlibStream *_Nonnull stream);
} Zlib;

typedef struct BrotliState BrotliState;

enum BrotliResult { BrotliFailure = 0, BrotliSuccess = 1, BrotliNeedsInput = 2, BrotliNeedsOutput = 3 };

typedef struct Brotli {
    BrotliState *_Nullable (*_Nonnull create)(void *_Nullable allocate, void *_Nullable free, void *_Nullable context);
    int (*_Nonnull decompress)(
        BrotliState *_Nonnull state, size_t *_Nonnull inputCount, const uint8_t *_Nullable *_Nonnull input,
        size_t *_Nonnull outputCount, uint8_t *_Nullable *_Nonnull output, size_t *_Nullable total);
    int (*_Nonnull errorCode)(const BrotliState *_Nonnull state);
    const char *_Nullable (*_Nonnull errorText)(int code);
    void (*_Nonnull destroy)(BrotliState *_Nonnull state);
} Brotli;

typedef struct ZstandardContext ZstandardContext;

typedef struct ZstandardInput {
    const void *_Nullable bytes;
    size_t count;
    size_t position;
} ZstandardInput;

typedef struct ZstandardOutput {
    void *_Nullable bytes;
    size_t count;
    size_t position;
} ZstandardOutput;

enum ZstandardParameter { ZstandardMaxWindowLog = 100 };

typedef struct Zstandard {
    ZstandardContext *_Nullable (*_Nonnull create)(void);
    size_t (*_Nonnull set)(ZstandardContext *_Nonnull context, int parameter, int value);
    // Returns 0 at the end of a frame.
    size_t (*_Nonnull decompress)(
        ZstandardContext *_Nonnull context, ZstandardOutput *_Nonnull output, ZstandardInput *_Nonnull input);
    unsigned int (*_Nonnull isError)(size_t result);
    const char *_Nullable (*_Nonnull errorText)(size_t result);
    size_t (*_Nonnull destroy)(ZstandardContext *_Nonnull context);
} Zstandard;

// The functions of a library, or NULL if the system lacks it. Each is to be called once.
const Zlib *_Nullable streams_load_zlib(void);
const Brotli *_Nullable streams_load_brotli(void);
const Zstandard *_Nullable streams_load_zstandard(void);

#endif
