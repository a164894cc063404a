#include "Codings.h"

#include "Library.h"

const Zlib *streams_load_zlib(void) {
    static Zlib zlib;
    const struct Symbol symbols[] = {
        {"zlibVersion", &zlib.version},
        {"inflateInit2_", &zlib.begin},
        {"inflate", &zlib.inflate},
        {"inflateReset", &zlib.reset},
        {"inflateEnd", &zlib.end},
        {"deflateInit2_", &zlib.beginDeflating},
        {"deflate", &zlib.deflate},
        {"deflateReset", &zlib.resetDeflating},
        {"deflateEnd", &zlib.endDeflating},
    };
    return streams_load(LIBRARY("z", "1"), symbols, sizeof symbols / sizeof *symbols) ? &zlib : NULL;
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
    return streams_load(LIBRARY("brotlidec", "1"), symbols, sizeof symbols / sizeof *symbols) ? &brotli : NULL;
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
    return streams_load(LIBRARY("zstd", "1"), symbols, sizeof symbols / sizeof *symbols) ? &zstandard : NULL;
}
