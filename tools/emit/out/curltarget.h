/* curltarget - the options of libcurl that depend on the server: URL, TLS and version of HTTP. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CURLTARGET_H
#define EMIT_CURLTARGET_H

#include "curllib.h"
#include "httptarget.h"

#include <stdbool.h>

/* Set the options that are the same for all requests; libcurl copies the strings. `*connect_to`
 * becomes a list that `easy` uses, to pass to curl_slist_free_all() after `easy` was cleaned up; it
 * stays as it is if target->server_name is NULL. Return false if memory runs out or server_name is
 * no host name. */
bool curltarget_set_up(
	CURL *easy, const struct http_target *target, struct curl_slist **connect_to);

/* Select the version of HTTP for a new or a kept connection. Return false if memory runs out. */
bool curltarget_set_version(CURL *easy, const struct http_target *target, bool is_kept);

/* Return true if curltarget_set_version() has to know whether the connection is new. */
bool curltarget_must_know_connection(const struct http_target *target);

#endif
