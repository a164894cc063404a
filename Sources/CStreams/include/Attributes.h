// The extended attributes of open files, in one form on all platforms.

#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include <stddef.h>
#include <sys/types.h>

// Sets the value of an attribute. Returns 0, or -1 with errno.
int streams_set_attribute(int descriptor, const char *_Nonnull name, const void *_Nonnull value, size_t size);

// Returns the size of the value of an attribute, which is copied, or -1 with errno.
ssize_t streams_get_attribute(int descriptor, const char *_Nonnull name, void *_Nonnull value, size_t capacity);

#endif
