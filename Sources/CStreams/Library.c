#include "Library.h"

#include <dlfcn.h>
#include <string.h>

bool streams_load(const char *library, const struct Symbol *symbols, size_t count) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return false;
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address) return false;
        memcpy(symbols[i].function, &address, sizeof address);
    }
    return true;
}
