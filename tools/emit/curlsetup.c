/* curlsetup - what of libcurl's many options is ours. */
#include "curlsetup.h"

#include "version.h"

#include <string.h>
#include <strings.h>

#define SET(option, value) (curl_easy_setopt(easy, option, value) == CURLE_OK)

/* libcurl before this one puts HTTP/2 on top of the HTTP/2 of a connection that it uses again, when it has been told that the server speaks it, and the
 * request fails: https://github.com/curl/curl/issues/10634. Debian 12 has 7.88.1. */
#define FIRST_WITH_REUSE 0x080000

static bool
is_tls(const struct http_target *target)
{
	return strncasecmp(target->url, "https:", strlen("https:")) == 0;
}

static bool
set_tls(CURL *easy, const struct http_target *target)
{
	if (!SET(CURLOPT_SSL_VERIFYPEER, 1L) || !SET(CURLOPT_SSL_VERIFYHOST, 2L) ||
		!SET(CURLOPT_SSLCERT, target->cert_file) ||
		!SET(CURLOPT_SSLKEY, target->key_file) ||
		/* Otherwise OpenSSL asks the terminal for the password of a key that has one. */
		!SET(CURLOPT_KEYPASSWD, "") ||
		/* Authorities are replaced too: they are read for each connection. */
		!SET(CURLOPT_CA_CACHE_TIMEOUT, 0L))
		return false;
	/* Who is named is trusted alone, without the system's directory of authorities. */
	return target->ca_file == NULL ||
	       (SET(CURLOPT_CAINFO, target->ca_file) && SET(CURLOPT_CAPATH, NULL));
}

bool
curl_set_up(CURL *easy, const struct http_target *target)
{
	return SET(CURLOPT_URL, target->url) && SET(CURLOPT_UNIX_SOCKET_PATH, target->unix_path) &&
	       SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_FOLLOWLOCATION, 0L) &&
	       /* Whatever the environment says. */
	       SET(CURLOPT_NOPROXY, "*") && SET(CURLOPT_NOSIGNAL, 1L) &&
	       /* A look-up that is given up is left to its thread: to wait for that would be to wait for the name server. */
	       SET(CURLOPT_QUICK_EXIT, 1L) &&
	       SET(CURLOPT_USERAGENT, "nic-health-monitor/" NHM_VERSION) && set_tls(easy, target) &&
	       curl_set_connection(easy, target, false);
}

bool
curl_must_know_connection(const struct http_target *target)
{
	return target->http2 && !is_tls(target) &&
	       curl_version_info(CURLVERSION_NOW)->version_num < FIRST_WITH_REUSE;
}

bool
curl_set_connection(CURL *easy, const struct http_target *target, bool is_kept)
{
	long version = CURL_HTTP_VERSION_1_1;
	if (target->http2)
		/* The former takes a kept connection as it is; a new one it would begin with HTTP/1.1. */
		version = is_tls(target) || is_kept ? CURL_HTTP_VERSION_2TLS
						    : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
	return SET(CURLOPT_HTTP_VERSION, version);
}
