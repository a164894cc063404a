#define _GNU_SOURCE

#include "Threads.h"

#include <pthread.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

void streams_set_thread_name(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    pthread_setname_np(pthread_self(), name);
#endif
}

int streams_core_count(void) {
#ifdef __linux__
    cpu_set_t cores;
    // Fails with more cores than a set has room for.
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
        int count = CPU_COUNT(&cores);
        if (count > 0) return count;
    }
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}
