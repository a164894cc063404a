// Waits for sockets to become ready, at a cost that does not grow with their number: the parts of epoll and kqueue
// that are used, in one form.

#ifndef POLLER_H
#define POLLER_H

enum { PollerIn = 1, PollerOut = 2, PollerError = 4 };

typedef struct PollerEvent {
    int descriptor;
    int readiness;
} PollerEvent;

// A new poller's descriptor, or -1 with errno.
int streams_poller_open(void);

// Sets what a descriptor is watched for, as a mask; 0 stops watching it. A descriptor that is closed is no longer
// watched. Returns 0, or -1 with errno.
int streams_poller_watch(int poller, int descriptor, int before, int after);

// Waits. A negative time is without limit. Returns the number of events, or -1 with errno.
int streams_poller_wait(int poller, PollerEvent *events, int capacity, int milliseconds);

#endif
