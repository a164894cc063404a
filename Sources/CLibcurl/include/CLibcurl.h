#ifndef CLIBCURL_H
#define CLIBCURL_H

const char *curl_version(void);

#endif
