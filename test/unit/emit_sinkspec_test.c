/* Unit tests of emit's sinkspec: parsing the value of --sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/sinkspec.h"

#include "../../tools/emit/out/alerts.h"
#include "../../tools/emit/out/grpc.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static void
accepted(void)
{
	static const struct {
		const char *text;
		const struct sink_kind *kind;
		const char *path, *host, *service, *url;
	} rows[] = {
		{"-", &sink_stdout, NULL, NULL, NULL, NULL},
		{"file:/var/log/events", &sink_file, "/var/log/events", NULL, NULL, NULL},
		{"file:relative", &sink_file, "relative", NULL, NULL, NULL},
		{"file:-", &sink_file, "-", NULL, NULL, NULL},
		{"file:a:b", &sink_file, "a:b", NULL, NULL, NULL},
		{"unix:/run/s.sock", &sink_unix, "/run/s.sock", NULL, NULL, NULL},
		{"tcp:localhost:9000", &sink_tcp, NULL, "localhost", "9000", NULL},
		{"tcp:10.0.0.1:1", &sink_tcp, NULL, "10.0.0.1", "1", NULL},
		{"tcp:host.example:65535", &sink_tcp, NULL, "host.example", "65535", NULL},
		{"tcp:[::1]:9000", &sink_tcp, NULL, "::1", "9000", NULL},
		{"tcp:[fe80::1%eth0]:9000", &sink_tcp, NULL, "fe80::1%eth0", "9000", NULL},
		{"grpc:unix:///run/c.sock", &sink_grpc, "/run/c.sock", NULL, NULL,
			"http://localhost" GRPC_METHOD_PATH},
		{"grpc:unix://c.sock", &sink_grpc, "c.sock", NULL, NULL,
			"http://localhost" GRPC_METHOD_PATH},
		{"grpc:http://10.0.0.1:50051", &sink_grpc, NULL, "10.0.0.1", "50051",
			"http://10.0.0.1:50051" GRPC_METHOD_PATH},
		{"grpc:https://c.example:443/", &sink_grpc, NULL, "c.example", "443",
			"https://c.example:443" GRPC_METHOD_PATH},
		{"grpc:http://[::1]:50051", &sink_grpc, NULL, "::1", "50051",
			"http://[::1]:50051" GRPC_METHOD_PATH},
		{"http://h", &sink_webhook, NULL, "h", "80", "http://h"},
		{"http://h/", &sink_webhook, NULL, "h", "80", "http://h/"},
		{"https://h:8443/a/b?c=d&e=%20", &sink_webhook, NULL, "h", "8443",
			"https://h:8443/a/b?c=d&e=%20"},
		{"https://h/a:b@c", &sink_webhook, NULL, "h", "443", "https://h/a:b@c"},
		{"http://h?x=@", &sink_webhook, NULL, "h", "80", "http://h?x=@"},
		{"http://[::1]/x", &sink_webhook, NULL, "::1", "80", "http://[::1]/x"},
		{"http://[::1]:80/x", &sink_webhook, NULL, "::1", "80", "http://[::1]:80/x"},
		{"alertmanager:http://am:9093", &sink_alertmanager, NULL, "am", "9093",
			"http://am:9093" ALERTS_PATH},
		{"alertmanager:https://am/prefix/", &sink_alertmanager, NULL, "am", "443",
			"https://am/prefix" ALERTS_PATH},
		{"nats:nats://h/nic", &sink_nats, NULL, "h", "4222", "nats://h:4222"},
		{"nats:tls://[::1]:1/nic_1/west-2", &sink_nats, NULL, "::1", "1", "tls://[::1]:1"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sink_spec spec;
		check_row("%s", rows[i].text);
		CHECK_STR(sink_spec_parse(&spec, rows[i].text), NULL);
		CHECK(spec.kind == rows[i].kind);
		CHECK_STR(spec.text, rows[i].text);
		CHECK_STR(spec.path, rows[i].path);
		CHECK_STR(spec.host, rows[i].host);
		CHECK_STR(spec.service, rows[i].service);
		CHECK_STR(spec.url, rows[i].url);
		CHECK_INT(sink_spec_takes_requests(&spec), rows[i].url != NULL);
		CHECK_STR(sink_spec_check(&spec), NULL);
		sink_spec_fini(&spec);
		CHECK(spec.path == NULL && spec.host == NULL && spec.service == NULL &&
			spec.url == NULL);
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
		{"HTTP://host:1", "unknown kind of sink"},
		{"ftp://host/", "unknown kind of sink"},
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
		{"tcp:::1:9000", "an IPv6 address needs brackets around it"},
		{"tcp:fe80::1:9000", "an IPv6 address needs brackets around it"},
		{"tcp:a:b:9000", "an IPv6 address needs brackets around it"},
		{"tcp:[::1:9000", "a bracket is not closed"},
		{"tcp:[]:9000", ""},
		{"tcp:[:9000", ""},
		{"tcp:[::1]", ""},
		{"tcp:[::1]9000", ""},
		{"http:", "http:// or https:// is expected"},
		{"http:host", "http:// or https:// is expected"},
		{"https:/host", "http:// or https:// is expected"},
		{"http://", "a host is missing"},
		{"http:///path", "a host is missing"},
		{"http://?a", "a host is missing"},
		{"http://:80", "a host is missing"},
		{"http://h:", "not a port number"},
		{"http://h:0/", "not a port number"},
		{"http://h:65536/", "not a port number"},
		{"http://::1/", ""},
		{"http://[::1:80/", ""},
		{"http://user:pass@h/", "a password does not belong on the command line"},
		{"http://user@h:80/", "a password does not belong on the command line"},
		{"http://h/a b", "a URL cannot contain such a character"},
		{"http://h/#x", "a URL cannot contain such a character"},
		{"http://h/\n", "a URL cannot contain such a character"},
		{"http://h/\xc3\xa4", "a URL cannot contain such a character"},
		{"http://h\\@evil/", "a URL cannot contain such a character"},
		{"grpc:", "is expected"},
		{"grpc:host:1", "is expected"},
		{"grpc:tcp://host:1", "is expected"},
		{"grpc:unix:/run/c.sock", "is expected"},
		{"grpc:unix://", "a path is missing"},
		{"grpc:http://host", "HOST:PORT is expected"},
		{"grpc:http://host:1/service", "the address of a gRPC server has no path"},
		{"grpc:http://host:1?x", "the address of a gRPC server has no path"},
		{"grpc:http://host:1?", "the address of a gRPC server has no path"},
		{"grpc:http://host:1//", "the address of a gRPC server has no path"},
		{"grpc:https://u@host:1", "a password does not belong on the command line"},
		{"alertmanager:", "http:// or https:// is expected"},
		{"alertmanager:am:9093", "http:// or https:// is expected"},
		{"alertmanager:http://", "a host is missing"},
		{"alertmanager:http://am?x=y", "the address of an Alertmanager has no query"},
		{"nats:", "nats://HOST/STREAM or tls://HOST/STREAM is expected"},
		{"nats:h/nic", "nats://HOST/STREAM or tls://HOST/STREAM is expected"},
		{"nats:nats://h", "the name of a stream is missing"},
		{"nats:nats:///nic", "a host is missing"},
		{"nats:nats://h:0/nic", "not a port number"},
		{"nats:nats://h,i/nic", "not a host"},
		{"nats:nats://[::1/nic", "a bracket is not closed"},
		{"nats:nats://u:p@h/nic", "a password does not belong on the command line"},
		{"nats:nats://h/", "letters, digits"},
		{"nats:nats://h/nic/", "letters, digits"},
		{"nats:nats://h/nic/a/b", "letters, digits"},
		{"nats:nats://h/n.c", "letters, digits"},
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
	/* sun_path has 108 bytes including its NUL; a file's path may be longer. */
	for (size_t length = 106; length <= 109; length++) {
		struct sink_spec spec;
		char text[200], *path = check_repeat_new('p', length);
		check_row("%zu bytes", length);
		snprintf(text, sizeof text, "unix:%s", path);
		CHECK_INT(sink_spec_parse(&spec, text) == NULL, length <= 107);
		sink_spec_fini(&spec);
		snprintf(text, sizeof text, "grpc:unix://%s", path);
		CHECK_INT(sink_spec_parse(&spec, text) == NULL, length <= 107);
		sink_spec_fini(&spec);
		snprintf(text, sizeof text, "file:%s", path);
		CHECK(sink_spec_parse(&spec, text) == NULL);
		sink_spec_fini(&spec);
		free(path);
	}
}

static void
goes_together(void)
{
	static const struct {
		const char *text, *ca, *cert, *key, *token, *reason;
	} rows[] = {
		{"https://h/", "ca", NULL, NULL, NULL, NULL},
		{"https://h/", "ca", "cert", "key", "token", NULL},
		{"grpc:https://h:1", NULL, "cert", "key", NULL, NULL},
		{"alertmanager:https://h", NULL, NULL, NULL, "token", NULL},
		/* A unix socket of this machine cannot be overheard. */
		{"grpc:unix:///s", NULL, NULL, NULL, "token", NULL},
		{"https://h/", NULL, "cert", NULL, NULL, "go together"},
		{"https://h/", NULL, NULL, "key", NULL, "go together"},
		{"http://h/", "ca", NULL, NULL, NULL, "need https://"},
		{"http://h/", NULL, "cert", "key", NULL, "need https://"},
		{"grpc:unix:///s", "ca", NULL, NULL, NULL, "need https://"},
		{"tcp:h:1", "ca", NULL, NULL, NULL, "need https://"},
		{"-", NULL, NULL, "key", NULL, "need https://"},
		{"http://h/", NULL, NULL, NULL, "token", "not sent without TLS"},
		{"grpc:http://127.0.0.1:1", NULL, NULL, NULL, "token", "not sent without TLS"},
		{"alertmanager:http://h", NULL, NULL, NULL, "token", "not sent without TLS"},
		{"nats:tls://h/s", "ca", "cert", "key", "token", NULL},
		{"nats:nats://h/s", "ca", NULL, NULL, NULL, "need https:// or tls://"},
		{"nats:nats://h/s", NULL, NULL, NULL, "token", "not sent without TLS"},
		{"unix:/s", NULL, NULL, NULL, "token", "a token is for"},
		{"file:f", NULL, NULL, NULL, "token", "a token is for"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sink_spec spec;
		check_row("%zu: %s", i, rows[i].text);
		CHECK_STR(sink_spec_parse(&spec, rows[i].text), NULL);
		spec.files = (struct trust_files){.ca = rows[i].ca,
			.cert = rows[i].cert,
			.key = rows[i].key,
			.token = rows[i].token};
		if (rows[i].reason == NULL)
			CHECK_STR(sink_spec_check(&spec), NULL);
		else
			CHECK_HAS(sink_spec_check(&spec), rows[i].reason);
		sink_spec_fini(&spec);
	}
}

static void
labels(void)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"-", "-"},
		{"file:/var/log/a b", "file:/var/log/a b"},
		{"file:/x\xff\xc3\xa4", "file:/x\xef\xbf\xbd\xc3\xa4"},
		{"unix:/run/s", "unix:/run/s"},
		{"tcp:[::1]:514", "tcp:[::1]:514"},
		{"grpc:unix:///run/pc.sock", "grpc:unix:///run/pc.sock"},
		{"grpc:https://pc:1", "grpc:https://pc:1"},
		{"alertmanager:http://am:9093/prefix", "alertmanager:http://am:9093/prefix"},
		{"http://h", "http://h"},
		{"https://h:8443/", "https://h:8443"},
		{"https://h/services/T0/B0/secret", "https://h/..."},
		{"https://[::1]:1/?key=secret", "https://[::1]:1/..."},
		{"https://h?key=secret", "https://h/..."},
	};
	char label[SINK_LABEL_SIZE];
	struct sink_spec spec;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_STR(sink_spec_parse(&spec, rows[i].text), NULL);
		sink_spec_label(&spec, label);
		CHECK_STR(label, rows[i].expected);
		sink_spec_fini(&spec);
	}
	for (size_t length = SINK_LABEL_SIZE - 20; length < SINK_LABEL_SIZE + 20; length++) {
		char text[SINK_LABEL_SIZE * 2];
		check_row("%zu", length);
		memset(text, 'x', sizeof text);
		memcpy(text, "file:", 5);
		text[length] = '\0';
		CHECK_STR(sink_spec_parse(&spec, text), NULL);
		sink_spec_label(&spec, label);
		CHECK(strncmp(label, text, strlen(label)) == 0);
		CHECK(strlen(label) == length || strlen(label) > SINK_LABEL_SIZE - 20);
		sink_spec_fini(&spec);
		memcpy(text, "http:", 5);
		text[5] = text[6] = '/';
		text[length - 2] = '/';
		CHECK_STR(sink_spec_parse(&spec, text), NULL);
		sink_spec_label(&spec, label);
		CHECK_STR(label + strlen(label) - 4, "/...");
		sink_spec_fini(&spec);
	}
}

static const struct check_test tests[] = {
	{"every form of a sink is parsed", accepted},
	{"a malformed sink is refused with the reason", refused},
	{"a socket's path that is too long for a socket is refused", socket_paths},
	{"keys and tokens are accepted only where they apply, and no token is sent unencrypted",
		goes_together},
	{"a sink's label is short valid UTF-8, and shows only the host of a webhook", labels},
};
CHECK_MAIN(tests)
