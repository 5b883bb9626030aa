/* Unit tests of webaddress: what of a webhook's address may be shown. */
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
		/* as much as there is room for */
		{"http://h/ab", "http://h/.."},
		{"http://h/a", "http://h/."},
		{"nats:nats://u:secret@h/s", "nats:nats:///..."},
		{"nats:tls://:secret@h/s", "nats:tls:///..."},
		{"postgresql://u:secret@h/d", "postgresql:///..."},
		{"postgresql://h/d?password=secret", "postgresql:///..."},
		/* nothing to hide */
		{"nats:nats://u@h:4222/s", "nats:nats://u@h:4222/s"},
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
		/* Nothing of it is left behind its end. */
		for (size_t at = strlen(text); at < strlen(rows[i].text); at++)
			CHECK_INT(text[at], '\0');
	}
}

static const struct check_test tests[] = {
	{"of an address the host is shown, and nothing that may be a secret", shown},
};

CHECK_MAIN(tests)
