#include "Attributes.h"

#include <sys/xattr.h>

#ifdef __APPLE__

int streams_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0, 0);
}

ssize_t streams_get_attribute(int descriptor, const char *name, void *value, size_t capacity) {
    return fgetxattr(descriptor, name, value, capacity, 0, 0);
}

#else

int streams_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0);
}

ssize_t streams_get_attribute(int descriptor, const char *name, void *value, size_t capacity) {
    return fgetxattr(descriptor, name, value, capacity);
}

#endif
