/* Unit tests of the supervisor's connector: converting gRPC targets into sinks of emit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/sinkwords.h"

#include "check.h"

static void
targets(void)
{
	static const struct {
		const char *target, *sink;
	} rows[] = {
		{CONNECTOR_DEFAULT_TARGET, "grpc:unix:///var/run/nvsentinel.sock"},
		{"unix:/run/x.sock", "grpc:unix:///run/x.sock"},
		{"unix:x.sock", "grpc:unix://x.sock"},
		{"connector:50051", "grpc:http://connector:50051"},
		{"[::1]:50051", "grpc:http://[::1]:50051"},
		{"dns:///connector.example:50051", "grpc:http://connector.example:50051"},
		{"dns:connector:1", "grpc:http://connector:1"},
		{"http://connector:50051", "grpc:http://connector:50051"},
		{"https://connector:50051", "grpc:https://connector:50051"},
		/* emit reports its error. */
		{"connector", "grpc:http://connector"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char sink[100];
		check_row("%s", rows[i].target);
		CHECK_STR(sinkwords_format_connector(rows[i].target, sink, sizeof sink), NULL);
		CHECK_STR(sink, rows[i].sink);
	}
}

static void
refused(void)
{
	char sink[20];
	CHECK_HAS(sinkwords_format_connector("", sink, sizeof sink), "a target is missing");
	CHECK_STR(sinkwords_format_connector("/run/x", sink, sizeof sink),
		"the path of a socket is written unix:///PATH");
	CHECK_STR(sinkwords_format_connector("unix:1234567", sink, sizeof sink), NULL);
	CHECK_STR(sink, "grpc:unix://1234567");
	CHECK_STR(sinkwords_format_connector("unix:12345678", sink, sizeof sink), "too long");
}

static const struct check_test tests[] = {
	{"each form of a target gives its sink", targets},
	{"an invalid or too long target is refused", refused},
};
CHECK_MAIN(tests)
