// The names of threads and the number of cores, in one form on all platforms.

#ifndef THREADS_H
#define THREADS_H

// Names the calling thread, for debuggers and profilers. Linux takes names of at most 15 characters, and keeps the old one
// otherwise.
void streams_set_thread_name(const char *_Nonnull name);

// The number of cores that the process may use, at least 1.
int streams_core_count(void);

#endif
