/* Unit tests of the supervisor's options: from its command line to the options of the stages. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/options.h"

#include "commandline.h"

static struct options options;

static int
parse_words(int argc, char **argv, int *exit_code)
{
	options_fini(&options);
	return options_parse(&options, argc, argv, exit_code);
}

/* Return the words about sinks, with blanks between them. */
static const char *
sinks(void)
{
	static char text[1000];
	*text = '\0';
	for (size_t i = 0; i < options.service.sink_word_count; i++) {
		strcat(text, i > 0 ? " " : "");
		strcat(text, options.service.sink_words[i]);
	}
	return text;
}

static void
defaults(void)
{
	accept("", "");
	CHECK_INT(options.mode, OPTIONS_SERVE);
	CHECK_STR(sinks(), "--sink grpc:unix:///var/run/nvsentinel.sock");
	CHECK_STR(options.service.interval, "1s");
	CHECK_STR(options.service.state_path, "/var/run/nic_health_monitor/ctreval/state.json");
	CHECK_STR(options.service.log_state_path,
		"/var/run/nic_health_monitor/logmatch/logmatch.json");
	CHECK_STR(options.service.acks_path, "/var/run/nic_health_monitor/emit/acks.json");
	CHECK_STR(options.service.spool_path, "/var/lib/nic-health-monitor/spool.db");
	CHECK_STR(options.service.kmsg_path, "/dev/kmsg");
	CHECK_STR(options.service.checks, NULL);
	CHECK_STR(options.service.node_name, NULL);
	CHECK_STR(options.service.metrics_address, "127.0.0.1");
	CHECK_INT(options.service.metrics_port, 2112);
}

static void
metrics(void)
{
	static const struct {
		const char *line, *address;
		int port;
	} rows[] = {
		{"--metrics-port 2112", NULL, 2112},
		{"--metrics-port=0", NULL, 0},
		{"--metrics-port=65535 --metrics-address=127.0.0.1", "127.0.0.1", 65535},
		{"--metrics-address ::1 --metrics-port 9", "::1", 9},
		{"--metrics-address 0.0.0.0", "0.0.0.0", 2112},
		{"--metrics-port ''", NULL, -1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		accept(rows[i].line, "");
		CHECK_STR(options.service.metrics_address, rows[i].address);
		CHECK_INT(options.service.metrics_port, rows[i].port);
	}
	refuse("--metrics-port 65536", "--metrics-port '65536': not a port number");
	refuse("--metrics-port :2112", "not a port number");
	refuse("--metrics-address localhost", "--metrics-address 'localhost': not an IP address");
	refuse("--metrics-address ''", "not an IP address");
}

static void
connector(void)
{
	static const struct {
		const char *line, *sinks;
	} rows[] = {
		{"--sink -", "--sink -"},
		{"--platform-connector-socket unix:///x", "--sink grpc:unix:///x"},
		{"--platform-connector-socket unix:///x --platform-connector-socket c:1",
			"--sink grpc:http://c:1"},
		{"--platform-connector-socket c:1 --sink https://h --token-file t --sink -",
			"--sink https://h --token-file t --sink - --sink grpc:http://c:1"},
		{"--platform-connector-token-path t",
			"--sink grpc:unix:///var/run/nvsentinel.sock --token-file t"},
		{"--platform-connector-token-path ''",
			"--sink grpc:unix:///var/run/nvsentinel.sock"},
		{"--sink - --platform-connector-token-path t --platform-connector-socket unix:/x",
			"--sink - --sink grpc:unix:///x --token-file t"},
		{"--default-sink -", "--sink -"},
		{"--default-sink - --platform-connector-token-path ''", "--sink -"},
		{"--default-sink - --platform-connector-token-path t --platform-connector-socket "
		 "unix:/x",
			"--sink grpc:unix:///x --token-file t"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		accept(rows[i].line, "");
		CHECK_STR(sinks(), rows[i].sinks);
	}
	CHECK(!options.service.grpc_event_id);
	accept("--grpc-event-id", "");
	CHECK(options.service.grpc_event_id);
	refuse("--platform-connector-socket ''", "a target is missing");
	refuse("--sink - --platform-connector-token-path t",
		"--platform-connector-token-path needs --platform-connector-socket");
	refuse("--default-sink grpc:unix:///x --platform-connector-token-path t",
		"--platform-connector-token-path needs --platform-connector-socket");
	refuse("--token-file t --sink https://h",
		"--token-file 't': it must come after the --sink that it belongs to");
	refuse("--default-sink https://h --clear-token",
		"--clear-token '': it must come after the --sink that it belongs to");
}

static void
like_the_original(void)
{
	accept("-checks=InfiniBandStateCheck,NoSuchCheck,EFAStateCheck -node-name=n "
	       "-state-polling-interval "
	       "1m30s -config /etc/nic-health-monitor/config.yaml -metrics-port=2112 "
	       "-processing-strategy=STORE_ONLY -state-file /s/state.json -boot-id-path /b "
	       "-metadata-path=/m",
		"t: warning: --checks: skipped: unknown check \"NoSuchCheck\"; known: "
		"InfiniBandStateCheck, InfiniBandDegradationCheck, InfiniBandCharDeviceCheck, "
		"EthernetStateCheck, EthernetDegradationCheck, EFAStateCheck, "
		"EFADegradationCheck\n");
	CHECK_STR(options.service.checks, "InfiniBandStateCheck,EFAStateCheck");
	CHECK_STR(options.service.node_name, "n");
	CHECK_STR(options.service.interval, "1m30s");
	CHECK_STR(options.service.strategy, "STORE_ONLY");
	CHECK_STR(options.service.acks_path, "/s/emit/acks.json");
	CHECK_STR(options.service.metadata_path, "/m");
}

static void
refused(void)
{
	refuse("--checks NoSuchCheck", "no known check in the list");
	refuse("--node-name ''", "not a valid node name");
	refuse("--interval soon", "--interval 'soon': not a duration");
	refuse("--state-polling-interval 0s", "--state-polling-interval '0s': not a duration");
	refuse("--interval 24h1ns", "not a duration");
	refuse("--state-file /x/acks.json", "that is the name of a file of its own");
	refuse("operand", "unexpected operand 'operand'");
}

static void
sources(void)
{
	static const char *const accepted[] = {"--events all", "--events link",
		"--events uevent,verbs", "--events=''", "--trace p",
		"--trace p --events link,trace"};
	for (size_t i = 0; i < CHECK_COUNT(accepted); i++)
		accept(accepted[i], "");
	refuse("--events bogus",
		"--events 'bogus': unknown source \"bogus\"; known: link, uevent, verbs, trace");
	refuse("--events link,all", "unknown source \"all\"");
	refuse("--events ,", "--events ',': no source is given");
	refuse("--events verbs", "--events 'verbs': verbs needs uevent");
	refuse("--events trace", "--events 'trace': trace needs --trace");
	refuse("--events link --trace p", "--events 'link': trace is not among them");
	refuse("--events='' --trace p", "--events '': trace is not among them");
}

/* Return niccheck's command line, with blanks between the words. */
static const char *
check_arguments(void)
{
	static char text[1000];
	*text = '\0';
	char *const *argv = arguments_argv(&options.check);
	for (char *const *word = argv; *word != NULL; word++) {
		strcat(text, word > argv ? " " : "");
		strcat(text, *word);
	}
	return text;
}

static void
once(void)
{
	static const struct {
		const char *line, *arguments;
	} rows[] = {
		{"--once", "t"},
		{"-once -v", "t -v"},
		{"-v --quiet -v --onc -v --checks EFAStateCheck,EthernetStateCheck",
			"t -v -v -v --checks=EFAStateCheck,EthernetStateCheck --quiet"},
		{"--once --settle 1s --settle=0s -json -config=''",
			"t --config= --settle=0s --json"},
		{"--node-name --once --once --sysfs-root /s --metadata-path m --route-path r "
		 "--route6-path 6 --boot-id-path b --processing-strategy STORE_ONLY",
			"t --sysfs-root=/s --metadata-path=m --route-path=r --route6-path=6 "
			"--boot-id-path=b --node-name=--once --processing-strategy=STORE_ONLY"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		diag_set_verbosity(0);
		accept(rows[i].line, "");
		CHECK_INT(options.mode, OPTIONS_ONCE);
		CHECK_STR(check_arguments(), rows[i].arguments);
	}
	refuse("--once --metrics-port 1", "--metrics-port cannot be combined with --once");
	refuse("--once --platform-connector-socket c:1",
		"--platform-connector-socket cannot be combined with --once");
	refuse("--settle 1s", "--settle needs --once");
	options_fini(&options);
}

static const struct check_test tests[] = {
	{"without options all paths are the original's", defaults},
	{"a port is served at all addresses, unless one is given", metrics},
	{"the Platform Connector is a sink, and the only one if no other is given", connector},
	{"the original's options are accepted in its own forms", like_the_original},
	{"invalid values are refused by name", refused},
	{"a list of kernel events that ibevent would reject is rejected", sources},
	{"--once accepts no options of the service", once},
};
CHECK_MAIN(tests)
