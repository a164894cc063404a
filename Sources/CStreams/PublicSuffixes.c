#include "PublicSuffixes.h"

#include "Library.h"

const Psl *streams_load_psl(void) {
    static Psl psl;
    const struct Symbol symbols[] = {
        {"psl_latest", &psl.latest},
        {"psl_is_public_suffix", &psl.isPublicSuffix},
    };
    return streams_load(LIBRARY("psl", "5"), symbols, sizeof symbols / sizeof *symbols) ? &psl : NULL;
}
