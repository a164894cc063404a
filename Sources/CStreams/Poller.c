#include "Poller.h"

#include <errno.h>

#ifdef __linux__

#include <sys/epoll.h>
#include <sys/eventfd.h>

int streams_poller_open(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int streams_poller_watch(int poller, int descriptor, int before, int after) {
    struct epoll_event event = {
        .events = (after & PollerIn ? EPOLLIN : 0) | (after & PollerOut ? EPOLLOUT : 0)
            | (after & PollerEdge ? EPOLLET : 0),
        .data.fd = descriptor,
    };
    if (!after) return before ? epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &event) : 0;
    int result = epoll_ctl(poller, before ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
    // What we believe of a descriptor may be wrong when it was closed and its number given out again.
    if (result < 0 && errno == ENOENT) result = epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    if (result < 0 && errno == EEXIST) result = epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event);
    return result;
}

int streams_event_open(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

enum { Batch = 128 };

int streams_poller_wait(int poller, PollerEvent *events, int capacity, int milliseconds) {
    struct epoll_event ready[Batch];
    int count = epoll_wait(poller, ready, capacity < Batch ? capacity : Batch, milliseconds);
    for (int i = 0; i < count; i++) {
        events[i].descriptor = ready[i].data.fd;
        events[i].readiness = (ready[i].events & EPOLLIN ? PollerIn : 0) | (ready[i].events & EPOLLOUT ? PollerOut : 0)
            | (ready[i].events & (EPOLLERR | EPOLLHUP) ? PollerError : 0);
    }
    return count;
}

#else

#include <fcntl.h>
#include <sys/event.h>
#include <sys/time.h>
#include <unistd.h>

int streams_poller_open(void) {
    int poller = kqueue();
    if (poller >= 0) fcntl(poller, F_SETFD, FD_CLOEXEC);
    return poller;
}

int streams_poller_watch(int poller, int descriptor, int before, int after) {
    static const struct { int mask; short filter; } directions[] = {
        {PollerIn, EVFILT_READ},
        {PollerOut, EVFILT_WRITE},
    };
    for (int i = 0; i < 2; i++) {
        int isWanted = after & directions[i].mask;
        // A direction that is wanted is set again although it was before: the descriptor may be that of another socket
        // by now, which has no watch. To set it twice changes nothing.
        if (!isWanted && !(before & directions[i].mask)) continue;
        struct kevent change;
        EV_SET(&change, descriptor, directions[i].filter, isWanted ? EV_ADD : EV_DELETE, 0, 0, 0);
        if (kevent(poller, &change, 1, 0, 0, 0) < 0 && (isWanted || errno != ENOENT)) return -1;
    }
    return 0;
}

int streams_event_open(void) {
    return -1;
}

int streams_poller_wait(int poller, PollerEvent *events, int capacity, int milliseconds) {
    struct kevent ready[Batch];
    struct timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    int count = kevent(poller, 0, 0, ready, capacity < Batch ? capacity : Batch, milliseconds < 0 ? 0 : &timeout);
    for (int i = 0; i < count; i++) {
        int isReading = ready[i].filter == EVFILT_READ;
        // The end of the bytes to read is itself read. If it has an error, or if it is the end of writing, the connection
        // is lost or was not established.
        int isLost = ready[i].flags & EV_EOF && (!isReading || ready[i].fflags);
        events[i].descriptor = (int)ready[i].ident;
        events[i].readiness = (isReading ? PollerIn : PollerOut)
            | (isLost || ready[i].flags & EV_ERROR ? PollerError : 0);
    }
    return count;
}

#endif
