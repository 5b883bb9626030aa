/* Unit tests of webaddress: hiding the secret parts of a webhook's address. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "webaddress.h"

#include "check.h"

#include <string.h>

static void
shown(void)
{
	static const struct {
		const char *text, *hidden;
	} rows[] = {
		{"https://h/a/b?c", "https://h/..."},
		{"https://h:8443/abc", "https://h:8443/..."},
		{"http://[::1]:80/x/secret", "http://[::1]:80/..."},
		{"http://h?key=secret", "http://h/..."},
		{"https://user:secret@h/", "https:///..."},
		{"http://h\\@secret", "http://h/..."},
		/* as much as fits */
		{"http://h/ab", "http://h/.."},
		{"http://h/a", "http://h/."},
		{"nats:nats://u:secret@h/s", "nats:nats:///..."},
		{"nats:tls://:secret@h/s", "nats:tls:///..."},
		{"postgresql://u:secret@h/d", "postgresql:///..."},
		{"postgresql://h/d?password=secret", "postgresql:///..."},
		{"postgresql://h/d?sslpassword=secret", "postgresql:///..."},
		{"webhook:https://h/secret", "webhook:https://h/..."},
		{"webhook:https://secret@h", "webhook:https:///..."},
		{"alertmanager:https://h/?apikey=secret", "alertmanager:https://h//..."},
		{"alertmanager:https://h/a#secret", "alertmanager:https://h/a/..."},
		{"alertmanager:https://secret@h/", "alertmanager:https:///..."},
		{"grpc:http://h:1?secret", "grpc:http://h:1/..."},
		/* a token, without a colon */
		{"nats:nats://secret@h/s", "nats:nats:///..."},
		/* an unknown kind, or an invalid address */
		{"htps://h/secret", "htps://h/..."},
		{"HTTPS://h/secret", "HTTPS://h/..."},
		{"slack:https://h/secret", "slack:https://h/..."},
		{"https:h/secret", "https:/..."},
		{"https:/h/secret", "https:/..."},
		{"webhook:h/secret", "webhook:/..."},
		{"webhook: https://h/secret", "webhook:/..."},
		/* nothing to hide */
		{"webhook:@/a?b#c", "webhook:@/a?b#c"},
		{"webhook:$A", "webhook:$A"},
		{"webhook:https://h/", "webhook:https://h/"},
		{"alertmanager:https://h/a/b/", "alertmanager:https://h/a/b/"},
		{"nats:tls://[::1]:1/s/f", "nats:tls://[::1]:1/s/f"},
		{"grpc:unix://a@b?c", "grpc:unix://a@b?c"},
		{"journal://run/a?b", "journal://run/a?b"},
		{"exec:/a://b?c", "exec:/a://b?c"},
		{"unix://a/b@c", "unix://a/b@c"},
		{"coop:pigeon/a", "coop:pigeon/a"},
		{"postgresql://u@h:1/d?host=/a:b@c", "postgresql://u@h:1/d?host=/a:b@c"},
		{"file:/a://b:c@d", "file:/a://b:c@d"},
		{"tcp:h:1", "tcp:h:1"},
		{"https://h", "https://h"},
		{"https://h/", "https://h/"},
		{"file:/a/b", "file:/a/b"},
		{"grpc:http://h:1", "grpc:http://h:1"},
		{"-", "-"},
		{"", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[64];
		check_row("%s", rows[i].text);
		strcpy(text, rows[i].text);
		webaddress_hide(text);
		CHECK_STR(text, rows[i].hidden);
		/* The bytes behind the end are cleared. */
		for (size_t at = strlen(text); at < strlen(rows[i].text); at++)
			CHECK_INT(text[at], '\0');
	}
}

static const struct check_test tests[] = {
	{"of an address only the host is shown", shown},
};

CHECK_MAIN(tests)
