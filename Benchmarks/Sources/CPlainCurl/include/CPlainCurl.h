#ifndef CPLAINCURL_H
#define CPLAINCURL_H

#include <stdint.h>

/// The version of HTTP.
typedef enum { PlainCurlHTTP1 = 2, PlainCurlHTTP2 = 4 } PlainCurlVersion;

/// Gets a URL a number of times, several at once, in a plain loop around libcurl.
///
/// Returns the total size of the bodies in bytes, or -1 if any request failed.
int64_t plain_curl_get(const char *url, int concurrency, int64_t requests, PlainCurlVersion version);

#endif
