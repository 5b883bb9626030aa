/* curltarget - the options of libcurl that depend on the server. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "curltarget.h"

#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Before this version libcurl upgrades a reused HTTP/2 connection to HTTP/2 again if prior
 * knowledge is set, and the request fails: https://github.com/curl/curl/issues/10634. Debian 12 has
 * 7.88.1. */
#define FIRST_WITH_REUSE 0x080000

static bool
is_tls(const struct http_target *target)
{
	return strncasecmp(target->url, "https:", strlen("https:")) == 0;
}

static bool
set_tls(CURL *easy, const struct trust_files *files)
{
	if (!CURLLIB_SET(easy, CURLOPT_SSL_VERIFYPEER, 1L) ||
		!CURLLIB_SET(easy, CURLOPT_SSL_VERIFYHOST, 2L) ||
		!CURLLIB_SET(easy, CURLOPT_SSLCERT, files->cert) ||
		!CURLLIB_SET(easy, CURLOPT_SSLKEY, files->key) ||
		/* Otherwise OpenSSL asks for the password of an encrypted key on the terminal. */
		!CURLLIB_SET(easy, CURLOPT_KEYPASSWD, "") ||
		/* Read the CA file for each connection, because it may be replaced. */
		!CURLLIB_SET(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L))
		return false;
	/* A CA file replaces the system's directory of authorities. */
	return files->ca == NULL || (CURLLIB_SET(easy, CURLOPT_CAINFO, files->ca) &&
					    CURLLIB_SET(easy, CURLOPT_CAPATH, NULL));
}

bool
curltarget_set_version(CURL *easy, const struct http_target *target, bool is_kept)
{
	long version = CURL_HTTP_VERSION_1_1;
	if (target->http2)
		/* 2TLS reuses a kept HTTP/2 connection, but would start a new one with HTTP/1.1. */
		version = is_tls(target) || is_kept ? CURL_HTTP_VERSION_2TLS
						    : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
	return CURLLIB_SET(easy, CURLOPT_HTTP_VERSION, version);
}

bool
curltarget_must_know_connection(const struct http_target *target)
{
	return target->http2 && !is_tls(target) &&
	       curllib.curl_version_info(CURLVERSION_NOW)->version_num < FIRST_WITH_REUSE;
}

/* Put `server_name` into the URL, where libcurl takes the name to verify, and connect to the
 * address in the original URL. Return false if memory runs out or the name is no host name. */
static bool
set_server_name(CURL *easy, const struct http_target *target, struct curl_slist **connect_to)
{
	char *host = NULL, *port = NULL, *url = NULL, *entry = NULL;
	CURLU *parts = curllib.curl_url();
	bool done = parts != NULL &&
		    curllib.curl_url_set(parts, CURLUPART_URL, target->url, 0) == 0 &&
		    curllib.curl_url_get(parts, CURLUPART_HOST, &host, 0) == 0 &&
		    curllib.curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == 0 &&
		    curllib.curl_url_set(parts, CURLUPART_HOST, target->server_name, 0) == 0 &&
		    curllib.curl_url_get(parts, CURLUPART_URL, &url, 0) == 0 &&
		    asprintf(&entry, "::%s:%s", host, port) >= 0;
	*connect_to = done ? curllib.curl_slist_append(NULL, entry) : NULL;
	done = *connect_to != NULL && CURLLIB_SET(easy, CURLOPT_URL, url) &&
	       CURLLIB_SET(easy, CURLOPT_CONNECT_TO, *connect_to);
	free(entry);
	curllib.curl_free(url);
	curllib.curl_free(port);
	curllib.curl_free(host);
	curllib.curl_url_cleanup(parts);
	return done;
}

bool
curltarget_set_up(CURL *easy, const struct http_target *target, struct curl_slist **connect_to)
{
	bool is_set = target->server_name != NULL ? set_server_name(easy, target, connect_to)
						  : CURLLIB_SET(easy, CURLOPT_URL, target->url);
	return is_set && CURLLIB_SET(easy, CURLOPT_UNIX_SOCKET_PATH, target->unix_path) &&
	       CURLLIB_SET(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       CURLLIB_SET(easy, CURLOPT_FOLLOWLOCATION, 0L) &&
	       /* Ignore proxies in the environment. */
	       CURLLIB_SET(easy, CURLOPT_NOPROXY, "*") && CURLLIB_SET(easy, CURLOPT_NOSIGNAL, 1L) &&
	       /* Do not wait for the thread of a cancelled name lookup. */
	       CURLLIB_SET(easy, CURLOPT_QUICK_EXIT, 1L) &&
	       CURLLIB_SET(easy, CURLOPT_USERAGENT, "nic-health-monitor/" NHM_VERSION) &&
	       set_tls(easy, &target->files) && curltarget_set_version(easy, target, false);
}
