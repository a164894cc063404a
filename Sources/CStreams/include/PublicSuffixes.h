// The part of libpsl that knows public suffixes, declared here so that no development package is needed, and looked up
// at run time: nearly every libcurl brings it into the process, but not every system has it.

#ifndef PUBLIC_SUFFIXES_H
#define PUBLIC_SUFFIXES_H

typedef struct PublicSuffixList PublicSuffixList;

typedef struct Psl {
    // Returns the newer one of the system's list and of that in the library; NULL if there is neither.
    const PublicSuffixList *_Nullable (*_Nonnull latest)(const char *_Nullable path);
    // Returns 1 if a name, in lower case and ASCII, is a public suffix. An unknown top-level domain is one.
    int (*_Nonnull isPublicSuffix)(const PublicSuffixList *_Nonnull list, const char *_Nonnull name);
} Psl;

// The functions of the library, or NULL if the system lacks it. Is to be called once.
const Psl *_Nullable streams_load_psl(void);

#endif
