/* curlsetup - what of libcurl's many options is ours: how it may speak to whom, whatever is asked. */
#ifndef EMIT_CURLSETUP_H
#define EMIT_CURLSETUP_H

#include "http.h"

#include <curl/curl.h>

/* Sets what is the same for every request to a target, whose texts are copied. False when memory ran out. */
bool curl_set_up(CURL *easy, const struct http_target *target);

/* Says whether HTTP/2 over http:// is spoken on a new connection, or on one that is kept: libcurl must be told, see there. False when memory ran out. */
bool curl_set_connection(CURL *easy, const struct http_target *target, bool is_kept);

/* True when curl_set_connection() makes a difference for the target. */
bool curl_must_know_connection(const struct http_target *target);

#endif
