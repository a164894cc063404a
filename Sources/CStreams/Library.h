// Libraries that are looked up at run time.

#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

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
bool streams_load(const char *library, const struct Symbol *symbols, size_t count);

#endif
