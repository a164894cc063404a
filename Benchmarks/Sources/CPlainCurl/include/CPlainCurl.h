#ifndef CPLAINCURL_H
#define CPLAINCURL_H

#include <stdint.h>

/// Which version of HTTP is spoken.
typedef enum { PlainCurlHTTP1 = 2, PlainCurlHTTP2 = 4 } PlainCurlVersion;

/// Gets a URL over and over, so many times at once, in one loop without any layer.
///
/// Returns how many bytes of bodies came, or -1 if any request failed.
int64_t plain_curl_get(const char *url, int concurrency, int64_t requests, PlainCurlVersion version);

#endif
