/* curllib - loads libcurl's functions at run time, only for sinks that use HTTP: with its
 * dependencies libcurl takes most of the memory of a process. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CURLLIB_H
#define EMIT_CURLLIB_H

#include "library.h"

/* The type-checking macros would call functions by name. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#define CURLLIB_CALLS(X) \
	X(curl_easy_cleanup) \
	X(curl_easy_getinfo) \
	X(curl_easy_init) \
	X(curl_easy_setopt) \
	X(curl_easy_strerror) \
	X(curl_free) \
	X(curl_global_cleanup) \
	X(curl_global_init) \
	X(curl_multi_add_handle) \
	X(curl_multi_cleanup) \
	X(curl_multi_info_read) \
	X(curl_multi_init) \
	X(curl_multi_remove_handle) \
	X(curl_multi_setopt) \
	X(curl_multi_socket_action) \
	X(curl_multi_strerror) \
	X(curl_slist_append) \
	X(curl_slist_free_all) \
	X(curl_url) \
	X(curl_url_cleanup) \
	X(curl_url_get) \
	X(curl_url_set) \
	X(curl_version_info)

/* Function pointers; all NULL until curllib_load() has succeeded. */
struct curllib {
	CURLLIB_CALLS(LIBRARY_MEMBER)
};
extern struct curllib curllib;

/* Set an option; true on success. Macros, because options have values of different types. */
#define CURLLIB_SET(easy, option, value) (curllib.curl_easy_setopt(easy, option, value) == CURLE_OK)
#define CURLLIB_SET_MULTI(multi, option, value) \
	(curllib.curl_multi_setopt(multi, option, value) == CURLM_OK)

/* Load libcurl once. Not thread-safe. Return NULL, or the reason of the failure, which is kept. */
const char *curllib_load(void);

#endif
