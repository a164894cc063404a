#include "InternationalNames.h"

#include "Library.h"

const Idn2 *streams_load_idn2(void) {
    static Idn2 idn2;
    const struct Symbol symbols[] = {
        {"idn2_lookup_u8", &idn2.lookup},
        {"idn2_free", &idn2.free},
    };
    return streams_load(LIBRARY("idn2", "0"), symbols, sizeof symbols / sizeof *symbols) ? &idn2 : NULL;
}
