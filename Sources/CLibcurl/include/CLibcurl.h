// The part of libcurl 4 that is used, declared here so that no development package is needed. The library's binary
// interface has been stable since 2006; every name and number is from its documentation.

#ifndef CLIBCURL_H
#define CLIBCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

typedef struct CurlEasy CurlEasy;
typedef struct CurlMulti CurlMulti;

typedef struct CurlList {
    char *data;
    struct CurlList *next;
} CurlList;

typedef struct CurlMessage {
    int kind;
    CurlEasy *easy;
    union {
        void *any;
        int result;
    } data;
} CurlMessage;

enum { CurlMessageDone = 1 };
enum { CurlSocketTimeout = -1 };

// The readiness of a socket that libcurl waits for, as a mask; removing a socket stands alone.
enum { CurlInterestIn = 1, CurlInterestOut = 2, CurlInterestRemove = 4 };
// The readiness of a socket, as a mask.
enum { CurlReadyIn = 1, CurlReadyOut = 2, CurlReadyError = 4 };

// The result of the callback for sockets that has none.
enum { CurlBadSocket = -1 };

enum CurlGlobal { CurlGlobalDefault = 3 };

enum CurlOption {
    CurlOptionURL = 10002,
    CurlOptionProxy = 10004,
    CurlOptionErrorBuffer = 10010,
    CurlOptionCertificateFile = 10025,
    CurlOptionKeyPassword = 10026,
    CurlOptionSSLVersion = 32,
    CurlOptionProxyTunnel = 61,
    CurlOptionVerifyPeer = 64,
    CurlOptionTrustFile = 10065,
    CurlOptionVerifyHost = 81,
    CurlOptionHTTPVersion = 84,
    CurlOptionKeyFile = 10087,
    CurlOptionTrustPath = 10097,
    CurlOptionNoSignal = 99,
    CurlOptionShare = 10100,
    CurlOptionPrivate = 10103,
    CurlOptionAddressFamily = 113,
    CurlOptionConnectOnly = 141,
    CurlOptionConnectTimeoutMilliseconds = 156,
    CurlOptionNoProxy = 10177,
    CurlOptionProtocols = 181,
    CurlOptionTCPKeepAlive = 213,
    CurlOptionPinnedPublicKey = 10230,
    CurlOptionUnixSocketPath = 10231,
    CurlOptionConnectTo = 10243,
    CurlOptionProxyTrustFile = 10246,
    CurlOptionProxyTrustPath = 10247,
    CurlOptionProxySSLVersion = 250,
    CurlOptionSuppressConnectHeaders = 265,
    // Since 7.87.
    CurlOptionTrustCacheTimeout = 321,
};

enum CurlHTTPVersion { CurlHTTPVersion1_1 = 2 };

enum CurlAddressFamily { CurlAddressFamilyIPv4 = 1, CurlAddressFamilyIPv6 = 2 };

// libcurl's numbers of the lowest version of TLS.
enum CurlTLSVersion { CurlTLSVersion1_0 = 4, CurlTLSVersion1_1 = 5, CurlTLSVersion1_2 = 6, CurlTLSVersion1_3 = 7 };

enum CurlProtocol { CurlProtocolHTTP = 1, CurlProtocolHTTPS = 2 };

enum CurlInfo {
    CurlInfoRemotePort = 0x200028,
    CurlInfoTotalTime = 0x600032,
    CurlInfoNameLookupTime = 0x600033,
    CurlInfoConnectTime = 0x600034,
    CurlInfoTLSTime = 0x600038,
    CurlInfoPrivate = 0x100015,
    CurlInfoRemoteAddress = 0x100020,
    CurlInfoActiveSocket = 0x50002C,
};

int curl_global_init(long flags);
char *curl_version(void);
// The beginning of what there is to know of the version; the number has two hexadecimal digits for each part.
typedef struct CurlVersion {
    int age;
    const char *text;
    unsigned int number;
    const char *host;
    int features;
    const char *ssl_version;
    long ssl_number;
    const char *zlib_version;
    const char *const *protocols;
    const char *ares_version;
    int ares_number;
    const char *idn_version;
    int iconv_number;
    const char *ssh_version;
    unsigned int brotli_number;
    const char *brotli_version;
    unsigned int http2_number;
    const char *http2_version;
    const char *quic_version;
    // The file and the directory of certificate authorities that libcurl was built with, since 7.70; null without one.
    const char *trust_file;
    const char *trust_path;
} CurlVersion;
const CurlVersion *curl_version_info(int age);
time_t curl_getdate(const char *text, const time_t *unused);

CurlEasy *curl_easy_init(void);
void curl_easy_cleanup(CurlEasy *easy);
const char *curl_easy_strerror(int code);

// For a handle that only opens a connection.
enum { CurlAgain = 81 };
int curl_easy_recv(CurlEasy *easy, void *buffer, size_t size, size_t *count);
int curl_easy_send(CurlEasy *easy, const void *bytes, size_t size, size_t *count);

// What several handles share.
typedef struct CurlShared CurlShared;
enum CurlShareData { CurlShareNames = 3, CurlShareTLSSessions = 4 };
CurlShared *curl_share_init(void);
int curl_share_cleanup(CurlShared *share);

// libcurl's parser of URLs.
typedef struct CurlURL CurlURL;
enum CurlURLPart { CurlURLWhole = 0, CurlURLScheme = 1, CurlURLUser = 2, CurlURLPassword = 3, CurlURLHost = 5 };
enum CurlURLFlag { CurlURLAnyScheme = 1 << 3, CurlURLDecode = 1 << 6, CurlURLGuessScheme = 1 << 9 };
enum CurlURLResult { CurlURLNoUser = 11, CurlURLNoPassword = 12 };

CurlURL *curl_url(void);
void curl_url_cleanup(CurlURL *url);
int curl_url_set(CurlURL *url, enum CurlURLPart part, const char *text, unsigned int flags);
int curl_url_get(const CurlURL *url, enum CurlURLPart part, char **text, unsigned int flags);
void curl_free(void *text);

CurlList *curl_slist_append(CurlList *list, const char *text);
void curl_slist_free_all(CurlList *list);

CurlMulti *curl_multi_init(void);
int curl_multi_cleanup(CurlMulti *multi);
int curl_multi_add_handle(CurlMulti *multi, CurlEasy *easy);
int curl_multi_remove_handle(CurlMulti *multi, CurlEasy *easy);
int curl_multi_timeout(CurlMulti *multi, long *milliseconds);
int curl_multi_socket_action(CurlMulti *multi, int socket, int readiness, int *running);
CurlMessage *curl_multi_info_read(CurlMulti *multi, int *left);
const char *curl_multi_strerror(int code);

// Typed forms of libcurl's variadic functions, which Swift cannot call.

int streams_curl_set_long(CurlEasy *easy, enum CurlOption option, long value);
int streams_curl_set_string(CurlEasy *easy, enum CurlOption option, const char *value);
int streams_curl_set_pointer(CurlEasy *easy, enum CurlOption option, void *value);
int streams_curl_get_long(CurlEasy *easy, enum CurlInfo info, long *value);
int streams_curl_get_offset(CurlEasy *easy, enum CurlInfo info, int64_t *value);
int streams_curl_get_pointer(CurlEasy *easy, enum CurlInfo info, void **value);
int streams_curl_get_socket(CurlEasy *easy, enum CurlInfo info, int *value);
int streams_curl_share(CurlShared *share, enum CurlShareData data);

// The callbacks of a loop: which sockets it should watch, and when it should call although none is ready.
typedef struct CurlLoopCallbacks {
    int (*socket)(CurlEasy *easy, int socket, int interest, void *context, void *unused);
    int (*timer)(CurlMulti *multi, long milliseconds, void *context);
} CurlLoopCallbacks;

int streams_curl_multi_set_callbacks(CurlMulti *multi, const CurlLoopCallbacks *callbacks, void *context);

// The callbacks of one handle, all of which get the same context.
typedef struct CurlCallbacks {
    int (*resolve)(void *resolver, void *reserved, void *context);
    int (*open_socket)(void *context, int purpose, void *address);
    // Since 7.80.
    int (*connected)(void *context, char *address, char *localAddress, int port, int localPort);
    int (*progress)(void *context, int64_t toReceive, int64_t received, int64_t toSend, int64_t sent);
} CurlCallbacks;

// Sets those that every version has, without the one for progress.
int streams_curl_set_callbacks(CurlEasy *easy, const CurlCallbacks *callbacks, void *context);
int streams_curl_set_connected_callback(CurlEasy *easy, const CurlCallbacks *callbacks, void *context);
int streams_curl_set_progress_callback(CurlEasy *easy, const CurlCallbacks *callbacks, void *context);

// Has the connections that a handle makes be closed by a callback, with a context that must outlive them.
int streams_curl_set_close_callback(CurlEasy *easy, int (*callback)(void *context, int socket), void *context);

// Makes a loop whose descriptors are closed in programs that the process starts. libcurl keeps a pipe or a pair of
// sockets for each loop, and before 8.8 they are inherited.
CurlMulti *streams_curl_multi_init(void);

// Opens a socket as libcurl does when it is not told otherwise.
int streams_curl_socket(void *address);

// The local port of a socket of IPv4 or IPv6, or 0.
int streams_curl_local_port(int descriptor);

// Sends without raising a signal if the peer has closed the connection.
ssize_t streams_send(int descriptor, const void *bytes, size_t count);

// The version of HTTP that a server has selected in the TLS handshake.
enum CurlSelected { CurlSelectedNone = 0, CurlSelectedHTTP1 = 1, CurlSelectedHTTP2 = 2 };

// The negotiation of the version, for a handle that only opens connections.
typedef struct CurlNegotiation {
    // Whether the connection to the proxy itself is encrypted.
    bool has_tls_proxy;
    enum CurlSelected selected;
} CurlNegotiation;

// Whether HTTP/2 can be offered. It requires that libcurl uses OpenSSL or a library with its interface.
bool streams_curl_can_offer_http2(void);

// Makes a handle offer HTTP/2 and HTTP/1.1 to servers, but not to a proxy. libcurl itself must be set to HTTP/1.1. The
// memory must live as long as the handle.
int streams_curl_offer_http2(CurlEasy *easy, CurlNegotiation *negotiation);

// Reads the version that the server has selected. Must be called inside a callback: the one for connections, or before
// 7.80 each time the one for progress. When the transfer is over, libcurl no longer tells.
void streams_curl_read_negotiation(CurlEasy *easy, CurlNegotiation *negotiation);

// Whether nothing can be read from a socket, not even its end.
int streams_is_silent(int descriptor);

// The address that a socket is to be opened for.
const struct sockaddr *streams_curl_socket_address(const void *address);

#endif
