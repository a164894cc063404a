#include "CURLOrigin.h"

#include <stdio.h>

// The names and numbers of libcurl's documentation, so that no development package is needed.
typedef struct Curl_URL CURLU;
extern CURLU *curl_url(void);
extern void curl_url_cleanup(CURLU *url);
extern int curl_url_set(CURLU *url, int part, const char *text, unsigned flags);
extern int curl_url_get(const CURLU *url, int part, char **text, unsigned flags);
extern void curl_free(void *text);

enum { PartURL = 0, PartScheme = 1, PartUser = 2, PartPassword = 3, PartHost = 5, PartPort = 6 };
enum { DefaultPort = 1 };

bool curl_origin_of(const char *text, char *origin, size_t size, bool *has_user) {
    CURLU *url = curl_url();
    char *scheme = NULL, *host = NULL, *port = NULL, *user = NULL, *password = NULL;
    bool is_valid = url && curl_url_set(url, PartURL, text, 0) == 0
        && curl_url_get(url, PartScheme, &scheme, 0) == 0
        && curl_url_get(url, PartHost, &host, 0) == 0
        && curl_url_get(url, PartPort, &port, DefaultPort) == 0;
    if (is_valid) {
        bool has_name = curl_url_get(url, PartUser, &user, 0) == 0;
        *has_user = curl_url_get(url, PartPassword, &password, 0) == 0 || has_name;
        is_valid = snprintf(origin, size, "%s://%s:%s", scheme, host, port) < (int)size;
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(user);
    curl_free(password);
    if (url) curl_url_cleanup(url);
    return is_valid;
}
