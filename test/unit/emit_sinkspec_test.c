/* Unit tests of emit's sinkspec: what --sink names. */
#include "../../tools/emit/sinkspec.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static void
accepted(void)
{
	static const struct {
		const char *text;
		enum sink_kind kind;
		const char *path, *host, *service;
	} rows[] = {
		{"-", SINK_STDOUT, NULL, NULL, NULL},
		{"file:/var/log/events", SINK_FILE, "/var/log/events", NULL, NULL},
		{"file:relative", SINK_FILE, "relative", NULL, NULL},
		{"file:-", SINK_FILE, "-", NULL, NULL},
		{"file:a:b", SINK_FILE, "a:b", NULL, NULL},
		{"unix:/run/s.sock", SINK_UNIX, "/run/s.sock", NULL, NULL},
		{"tcp:localhost:9000", SINK_TCP, NULL, "localhost", "9000"},
		{"tcp:10.0.0.1:1", SINK_TCP, NULL, "10.0.0.1", "1"},
		{"tcp:host.example:65535", SINK_TCP, NULL, "host.example", "65535"},
		{"tcp:[::1]:9000", SINK_TCP, NULL, "::1", "9000"},
		{"tcp:[fe80::1%eth0]:9000", SINK_TCP, NULL, "fe80::1%eth0", "9000"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sink_spec spec;
		check_row("%s", rows[i].text);
		CHECK_STR(sink_spec_parse(&spec, rows[i].text), NULL);
		CHECK_INT(spec.kind, rows[i].kind);
		CHECK_STR(spec.text, rows[i].text);
		CHECK_STR(spec.path, rows[i].path);
		CHECK_STR(spec.host, rows[i].host);
		CHECK_STR(spec.service, rows[i].service);
		sink_spec_fini(&spec);
		CHECK(spec.path == NULL && spec.host == NULL && spec.service == NULL);
	}
}

static void
refused(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"", "unknown kind of sink"},
		{"--", "unknown kind of sink"},
		{"file", "unknown kind of sink"},
		{"FILE:x", "unknown kind of sink"},
		{" file:x", "unknown kind of sink"},
		{"udp:host:1", "unknown kind of sink"},
		{"http://host:1", "unknown kind of sink"},
		{"/run/s.sock", "unknown kind of sink"},
		{"file:", "a path is missing"},
		{"unix:", "a path is missing"},
		{"tcp:", "HOST:PORT is expected"},
		{"tcp:host", "HOST:PORT is expected"},
		{"tcp::9000", "a host is missing"},
		{"tcp:host:", "not a port number"},
		{"tcp:host:0", "not a port number"},
		{"tcp:host:65536", "not a port number"},
		{"tcp:host:-1", "not a port number"},
		{"tcp:host:+1", "not a port number"},
		{"tcp:host: 1", "not a port number"},
		{"tcp:host:1 ", "not a port number"},
		{"tcp:host:http", "not a port number"},
		{"tcp:host:0x50", "not a port number"},
		{"tcp:host:99999999999999999999", "not a port number"},
		{"tcp:::1:9000", "an IPv6 address stands in brackets"},
		{"tcp:fe80::1:9000", "an IPv6 address stands in brackets"},
		{"tcp:a:b:9000", "an IPv6 address stands in brackets"},
		{"tcp:[::1:9000", "a bracket is not closed"},
		{"tcp:[]:9000", ""},
		{"tcp:[:9000", ""},
		{"tcp:[::1]", ""},
		{"tcp:[::1]9000", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sink_spec spec;
		check_row("%s", rows[i].text);
		CHECK_HAS(sink_spec_parse(&spec, rows[i].text), rows[i].reason);
		sink_spec_fini(&spec);
	}
}

static void
socket_paths(void)
{
	/* sun_path has 108 bytes with its NUL; a file's path may be longer. */
	for (size_t length = 106; length <= 109; length++) {
		struct sink_spec spec;
		char text[200], *path = check_repeat_new('p', length);
		check_row("%zu bytes", length);
		snprintf(text, sizeof text, "unix:%s", path);
		CHECK_INT(sink_spec_parse(&spec, text) == NULL, length <= 107);
		sink_spec_fini(&spec);
		snprintf(text, sizeof text, "file:%s", path);
		CHECK(sink_spec_parse(&spec, text) == NULL);
		sink_spec_fini(&spec);
		free(path);
	}
}

static const struct check_test tests[] = {
	{"every form of a sink is taken apart", accepted},
	{"a malformed sink is refused with the reason", refused},
	{"a socket's path that no socket can have is refused", socket_paths},
};
CHECK_MAIN(tests)
