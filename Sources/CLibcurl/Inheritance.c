#include "CLibcurl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int curl_multi_wakeup(CurlMulti *multi);

// The range above the lowest free descriptor in which those of a loop are looked for. Other threads open some, too.
enum { Margin = 64 };

// The bytes that wait to be read from a descriptor or its peer.
static int unread(int descriptor) {
    int in = 0;
    int out = 0;
    ioctl(descriptor, FIONREAD, &in);
#ifdef TIOCOUTQ
    ioctl(descriptor, TIOCOUTQ, &out);
#endif
    return in + out;
}

CurlMulti *streams_curl_multi_init(void) {
    int lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (lowest >= 0) close(lowest);
    int count = lowest < 0 ? 0 : lowest + Margin;
    // -1 for a descriptor that was open before, or is not one of the loop's.
    int *before = count ? malloc((size_t)count * sizeof *before) : NULL;
    if (!before) return curl_multi_init();
    for (int i = 0; i < count; i++) before[i] = fcntl(i, F_GETFD) < 0 ? 0 : -1;
    CurlMulti *multi = curl_multi_init();
    for (int i = 0; i < count; i++) {
        if (before[i] == 0) before[i] = fcntl(i, F_GETFD) == 0 ? unread(i) : -1;
    }
    // The wake-up leaves a byte between the two descriptors, which tells them from those of other threads.
    if (multi && curl_multi_wakeup(multi) == 0) {
        for (int i = 0; i < count; i++) {
            if (before[i] >= 0 && unread(i) > before[i]) fcntl(i, F_SETFD, FD_CLOEXEC);
        }
    }
    free(before);
    return multi;
}
