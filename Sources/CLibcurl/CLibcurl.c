#include "CLibcurl.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "Poller.h"

// What libcurl wants of a socket is handed to the poller as it is, and what the poller says to libcurl.
_Static_assert((int)CurlInterestIn == (int)PollerIn && (int)CurlInterestOut == (int)PollerOut, "masks differ");
_Static_assert((int)CurlReadyIn == (int)PollerIn && (int)CurlReadyOut == (int)PollerOut, "masks differ");
_Static_assert((int)CurlReadyError == (int)PollerError, "masks differ");

int curl_easy_setopt(CurlEasy *easy, int option, ...);
int curl_easy_getinfo(CurlEasy *easy, int info, ...);
int curl_multi_setopt(CurlMulti *multi, int option, ...);
int curl_share_setopt(CurlShared *share, int option, ...);

int streams_curl_set_long(CurlEasy *easy, enum CurlOption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

int streams_curl_set_string(CurlEasy *easy, enum CurlOption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

int streams_curl_set_pointer(CurlEasy *easy, enum CurlOption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

int streams_curl_get_long(CurlEasy *easy, enum CurlInfo info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

int streams_curl_get_offset(CurlEasy *easy, enum CurlInfo info, int64_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

int streams_curl_get_pointer(CurlEasy *easy, enum CurlInfo info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

int streams_curl_get_socket(CurlEasy *easy, enum CurlInfo info, int *value) {
    return curl_easy_getinfo(easy, info, value);
}

enum { Share = 1 };

int streams_curl_share(CurlShared *share, enum CurlShareData data) {
    return curl_share_setopt(share, Share, data);
}

enum {
    SocketFunction = 20001,
    SocketData = 10002,
    TimerFunction = 20004,
    TimerData = 10005,
};

int streams_curl_multi_set_callbacks(CurlMulti *multi, const CurlLoopCallbacks *callbacks, void *context) {
    int code = curl_multi_setopt(multi, SocketFunction, callbacks->socket);
    if (!code) code = curl_multi_setopt(multi, SocketData, context);
    if (!code) code = curl_multi_setopt(multi, TimerFunction, callbacks->timer);
    if (!code) code = curl_multi_setopt(multi, TimerData, context);
    return code;
}

enum {
    NoProgress = 43,
    ProgressData = 10057,
    OpenSocketFunction = 20163,
    OpenSocketData = 10164,
    CloseSocketFunction = 20208,
    CloseSocketData = 10209,
    ResolverStartFunction = 20272,
    ResolverStartData = 10273,
    ProgressFunction = 20219,
    PrerequestFunction = 20312,
    PrerequestData = 10313,
};

int streams_curl_set_callbacks(CurlEasy *easy, const CurlCallbacks *callbacks, void *context) {
    int code = curl_easy_setopt(easy, ResolverStartFunction, callbacks->resolve);
    if (!code) code = curl_easy_setopt(easy, ResolverStartData, context);
    if (!code) code = curl_easy_setopt(easy, OpenSocketFunction, callbacks->open_socket);
    if (!code) code = curl_easy_setopt(easy, OpenSocketData, context);
    return code;
}

int streams_curl_set_connected_callback(CurlEasy *easy, const CurlCallbacks *callbacks, void *context) {
    int code = curl_easy_setopt(easy, PrerequestFunction, callbacks->connected);
    return code ? code : curl_easy_setopt(easy, PrerequestData, context);
}

int streams_curl_set_progress_callback(CurlEasy *easy, const CurlCallbacks *callbacks, void *context) {
    int code = curl_easy_setopt(easy, ProgressFunction, callbacks->progress);
    if (!code) code = curl_easy_setopt(easy, ProgressData, context);
    return code ? code : curl_easy_setopt(easy, NoProgress, 0L);
}

int streams_curl_set_close_callback(CurlEasy *easy, int (*callback)(void *context, int socket), void *context) {
    int code = curl_easy_setopt(easy, CloseSocketFunction, callback);
    return code ? code : curl_easy_setopt(easy, CloseSocketData, context);
}

// The beginning of libcurl's struct curl_sockaddr.
struct SocketAddress {
    int family;
    int type;
    int protocol;
    unsigned int length;
    struct sockaddr address;
};

const struct sockaddr *streams_curl_socket_address(const void *address) {
    return &((const struct SocketAddress *)address)->address;
}

int streams_curl_local_port(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) < 0) return 0;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port) : 0;
}

ssize_t streams_send(int descriptor, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#else
    return send(descriptor, bytes, count, 0);
#endif
}

int streams_is_silent(int descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

int streams_curl_socket(void *address) {
    const struct SocketAddress *wanted = address;
    int type = wanted->type;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    int descriptor = socket(wanted->family, type, wanted->protocol);
#ifndef SOCK_CLOEXEC
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
    return descriptor;
}
