#include "CPlainCurl.h"

#include <stddef.h>
#include <stdlib.h>

// The functions and constants of libcurl's ABI that the loop needs, so that no development package is necessary.

typedef void CURL;
typedef void CURLM;

typedef struct {
    int msg;
    CURL *easy;
    union {
        void *whatever;
        int result;
    } data;
} Message;

extern CURL *curl_easy_init(void);
extern int curl_easy_setopt(CURL *easy, int option, ...);
extern void curl_easy_cleanup(CURL *easy);
extern CURLM *curl_multi_init(void);
extern int curl_multi_setopt(CURLM *multi, int option, ...);
extern int curl_multi_add_handle(CURLM *multi, CURL *easy);
extern int curl_multi_remove_handle(CURLM *multi, CURL *easy);
extern int curl_multi_perform(CURLM *multi, int *running);
extern int curl_multi_poll(CURLM *multi, void *extra, unsigned int count, int timeout, int *ready);
extern Message *curl_multi_info_read(CURLM *multi, int *queued);
extern int curl_multi_cleanup(CURLM *multi);

enum {
    optionWriteData = 10001,
    optionURL = 10002,
    optionWriteFunction = 20011,
    optionVerifyPeer = 64,
    optionVerifyHost = 81,
    optionVersion = 84,
    optionNoSignal = 99,
    optionPipeWait = 237,
    multiOptionMaxConnects = 6,
    messageDone = 1,
};

static size_t count(char *bytes, size_t size, size_t number, void *total) {
    (void)bytes;
    *(int64_t *)total += (int64_t)(size * number);
    return size * number;
}

int64_t plain_curl_get(const char *url, int concurrency, int64_t requests, PlainCurlVersion version) {
    int64_t total = 0, started = 0, ended = 0;
    int running = 0, queued = 0, failed = 0;
    CURLM *multi = curl_multi_init();
    CURL **handles = calloc((size_t)concurrency, sizeof(CURL *));
    if (!multi || !handles) return -1;
    curl_multi_setopt(multi, multiOptionMaxConnects, (long)concurrency);
    for (int index = 0; index < concurrency; index++) {
        CURL *easy = curl_easy_init();
        if (!easy) return -1;
        handles[index] = easy;
        curl_easy_setopt(easy, optionURL, url);
        curl_easy_setopt(easy, optionWriteFunction, count);
        curl_easy_setopt(easy, optionWriteData, &total);
        curl_easy_setopt(easy, optionVerifyPeer, 0L);
        curl_easy_setopt(easy, optionVerifyHost, 0L);
        curl_easy_setopt(easy, optionVersion, (long)version);
        curl_easy_setopt(easy, optionNoSignal, 1L);
        if (version == PlainCurlHTTP2) curl_easy_setopt(easy, optionPipeWait, 1L);
        if (started < requests) {
            curl_multi_add_handle(multi, easy);
            started++;
        }
    }
    while (ended < requests && !failed) {
        curl_multi_perform(multi, &running);
        Message *message;
        while ((message = curl_multi_info_read(multi, &queued))) {
            if (message->msg != messageDone) continue;
            CURL *easy = message->easy;
            if (message->data.result != 0) failed = 1;
            ended++;
            curl_multi_remove_handle(multi, easy);
            if (started < requests) {
                curl_multi_add_handle(multi, easy);
                started++;
            }
        }
        if (ended < requests) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int index = 0; index < concurrency; index++) {
        curl_multi_remove_handle(multi, handles[index]);
        curl_easy_cleanup(handles[index]);
    }
    free(handles);
    curl_multi_cleanup(multi);
    return failed ? -1 : total;
}
