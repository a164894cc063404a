// Waits for sockets to become ready, at a cost that does not grow with their number: the parts of epoll and kqueue
// that are used, in one form.

#ifndef POLLER_H
#define POLLER_H

// An edge, where epoll has it, is told once each time something comes, and need not be read to be told no more.
enum { PollerIn = 1, PollerOut = 2, PollerError = 4, PollerEdge = 8 };

typedef struct PollerEvent {
    int descriptor;
    int readiness;
} PollerEvent;

// A new poller's descriptor, or -1 with errno.
int streams_poller_open(void);

// Sets what a descriptor is watched for, as a mask; 0 stops watching it. A descriptor that is closed is no longer
// watched, so what it was watched for before may be wrong. Returns 0, or -1 with errno.
int streams_poller_watch(int poller, int descriptor, int before, int after);

// A descriptor that becomes readable when 8 bytes, a number, are written to it, or -1 where the system has none.
int streams_event_open(void);

// Waits. A negative time is without limit. Returns the number of events, or -1 with errno.
int streams_poller_wait(int poller, PollerEvent *events, int capacity, int milliseconds);

#endif
