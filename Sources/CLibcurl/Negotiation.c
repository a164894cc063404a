// The negotiation of the version of HTTP by TLS (ALPN, RFC 7301) on connections that libcurl only opens. The offer is
// made in OpenSSL's context: from 7.88 on, a libcurl that makes it speaks HTTP/2 itself if the server selects that.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLibcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

int curl_easy_setopt(CurlEasy *easy, int option, ...);
int curl_easy_getinfo(CurlEasy *easy, int info, ...);

enum {
    TLSContextData = 10109,
    TLSContextFunction = 20108,
    EnableALPN = 226,
    ConnectCode = 0x200016,
    TLSPointer = 0x40002D,
};

// Results of libcurl.
enum { NotBuiltIn = 4, OutOfMemory = 27 };
// The number of OpenSSL, and of the libraries with its interface, in struct curl_tlssessioninfo.
enum { OpenSSLBackend = 1 };

typedef struct TLSSession {
    int backend;
    void *pointer;
} TLSSession;

// Each name after its length.
static const unsigned char offer[] = "\x02h2\x08http/1.1";

// The functions of OpenSSL, or of a library with its interface.
static struct {
    // Returns 0 on success.
    int (*set_offer)(void *context, const unsigned char *names, unsigned int size);
    void (*get_selected)(const void *connection, const unsigned char **name, unsigned int *size);
} openssl;

static bool is_loaded;

// Whether the TLS library that libcurl uses has OpenSSL's interface. A libcurl that was built with several libraries
// names the unused ones in parentheses.
static bool uses_openssl(void) {
    static const char *const names[] = {"OpenSSL/", "LibreSSL/", "BoringSSL", "AWS-LC", "quictls/"};
    const CurlVersion *version = curl_version_info(0);
    const char *text = version ? version->ssl_version : NULL;
    while (text && *text) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strncmp(text, names[i], strlen(names[i])) == 0) return true;
        }
        text = strchr(text, ' ');
        if (text) text++;
    }
    return false;
}

// Looks up a function that libcurl calls itself.
//
// A process can have several copies of OpenSSL, such as one that the program is linked with statically. libcurl's calls
// reach the first definition in the process's order, which need not be that of the library that libcurl depends on. If
// the two differ, the function counts as missing: libcurl's contexts could belong to either copy.
static bool find(void *libcurl, const char *name, void *function) {
    void *address = dlsym(libcurl, name);
    if (!address || address != dlsym(RTLD_DEFAULT, name)) return false;
    memcpy(function, &address, sizeof address);
    return true;
}

static void load(void) {
#ifdef __APPLE__
    static const char library[] = "libcurl.4.dylib";
#else
    static const char library[] = "libcurl.so.4";
#endif
    if (!uses_openssl()) return;
    void *libcurl = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (!libcurl) return;
    void *creation;
    is_loaded = find(libcurl, "SSL_CTX_new", &creation) && find(libcurl, "SSL_CTX_set_alpn_protos", &openssl.set_offer)
        && find(libcurl, "SSL_get0_alpn_selected", &openssl.get_selected);
    dlclose(libcurl);
}

bool streams_curl_can_offer_http2(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

// Called before each handshake: for a proxy with TLS, before that with the proxy and before that with the server.
static int configure(CurlEasy *easy, void *context, void *data) {
    CurlNegotiation *negotiation = data;
    negotiation->selected = CurlSelectedNone;
    long code = 0;
    curl_easy_getinfo(easy, ConnectCode, &code);
    // HTTP/2 is offered to the server alone. Its handshake comes after the proxy has opened the tunnel.
    if (negotiation->has_tls_proxy && code / 100 != 2) return 0;
    return openssl.set_offer(context, offer, sizeof offer - 1) == 0 ? 0 : OutOfMemory;
}

int streams_curl_offer_http2(CurlEasy *easy, CurlNegotiation *negotiation) {
    if (!streams_curl_can_offer_http2()) return NotBuiltIn;
    int code = curl_easy_setopt(easy, EnableALPN, 0L);
    if (!code) code = curl_easy_setopt(easy, TLSContextFunction, configure);
    return code ? code : curl_easy_setopt(easy, TLSContextData, negotiation);
}

static bool equals(const unsigned char *name, unsigned int size, const char *other) {
    return size == strlen(other) && memcmp(name, other, size) == 0;
}

void streams_curl_read_negotiation(CurlEasy *easy, CurlNegotiation *negotiation) {
    TLSSession *session = NULL;
    if (!is_loaded || curl_easy_getinfo(easy, TLSPointer, &session) != 0 || !session) return;
    if (session->backend != OpenSSLBackend || !session->pointer) return;
    const unsigned char *name = NULL;
    unsigned int size = 0;
    openssl.get_selected(session->pointer, &name, &size);
    if (!name) return;
    if (equals(name, size, "h2")) negotiation->selected = CurlSelectedHTTP2;
    if (equals(name, size, "http/1.1")) negotiation->selected = CurlSelectedHTTP1;
}
