#include "Codings.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#ifdef __APPLE__
#define LIBRARY(name, version) "lib" name "." version ".dylib"
#else
#define LIBRARY(name, version) "lib" name ".so." version
#endif

struct Symbol {
    const char *name;
    void *function;
};

// Fills in the functions of a library. A library that the process has loaded already is not loaded again.
static bool load(const char *library, const struct Symbol *symbols, size_t count) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return false;
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address) return false;
        memcpy(symbols[i].function, &address, sizeof address);
    }
    return true;
}

const Zlib *streams_load_zlib(void) {
    static Zlib zlib;
    const struct Symbol symbols[] = {
        {"zlibVersion", &zlib.version},
        {"inflateInit2_", &zlib.begin},
        {"inflate", &zlib.inflate},
        {"inflateReset", &zlib.reset},
        {"inflateEnd", &zlib.end},
    };
    return load(LIBRARY("z", "1"), symbols, sizeof symbols / sizeof *symbols) ? &zlib : NULL;
}

const Brotli *streams_load_brotli(void) {
    static Brotli brotli;
    const struct Symbol symbols[] = {
        {"BrotliDecoderCreateInstance", &brotli.create},
        {"BrotliDecoderDecompressStream", &brotli.decompress},
        {"BrotliDecoderGetErrorCode", &brotli.errorCode},
        {"BrotliDecoderErrorString", &brotli.errorText},
        {"BrotliDecoderDestroyInstance", &brotli.destroy},
    };
    return load(LIBRARY("brotlidec", "1"), symbols, sizeof symbols / sizeof *symbols) ? &brotli : NULL;
}

const Zstandard *streams_load_zstandard(void) {
    static Zstandard zstandard;
    const struct Symbol symbols[] = {
        {"ZSTD_createDCtx", &zstandard.create},
        {"ZSTD_DCtx_setParameter", &zstandard.set},
        {"ZSTD_decompressStream", &zstandard.decompress},
        {"ZSTD_isError", &zstandard.isError},
        {"ZSTD_getErrorName", &zstandard.errorText},
        {"ZSTD_freeDCtx", &zstandard.destroy},
    };
    return load(LIBRARY("zstd", "1"), symbols, sizeof symbols / sizeof *symbols) ? &zstandard : NULL;
}
