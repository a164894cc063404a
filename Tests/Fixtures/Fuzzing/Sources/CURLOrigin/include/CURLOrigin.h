#ifndef CURLORIGIN_H
#define CURLORIGIN_H

#include <stdbool.h>
#include <stddef.h>

// Writes the origin that libcurl connects to for a URL, as `scheme://host:port`, and whether it takes user information
// from the URL. Returns false if libcurl refuses the URL, or if the origin is longer than the buffer.
bool curl_origin_of(const char *url, char *origin, size_t size, bool *has_user);

#endif
