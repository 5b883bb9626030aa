/* Unit tests of the supervisor's options: what the command line asks for, in the words of the stages. */
#include "../../tools/supervisor/options.h"

#include "check.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct options options;
static char words[400];

/* Parses the words of `line`, where '' is an empty one; what is said is to be freed. */
static char *
parse_new(const char *line, int *exit_code)
{
	char *argv[40], *rest;
	int argc = 0;
	snprintf(words, sizeof words, "nic-health-monitor %s", line);
	for (char *word = strtok_r(words, " ", &rest); word != NULL;
		word = strtok_r(NULL, " ", &rest)) {
		char *empty = strstr(word, "''");
		if (empty != NULL)
			*empty = '\0';
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	diag_init("t");
	check_row("%s", line);
	check_capture(STDERR_FILENO);
	*exit_code = 0;
	int status = options_parse(&options, argc, argv, exit_code);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT(status, *exit_code == 0 ? 0 : -1);
	return said;
}

/* It is good, and this is said about it. */
static void
accept(const char *line, const char *said)
{
	int exit_code;
	char *got = parse_new(line, &exit_code);
	CHECK_INT(exit_code, 0);
	CHECK_STR(got, said);
	free(got);
}

/* It is refused with one line that has these words. */
static void
refuse(const char *line, const char *part)
{
	int exit_code;
	char *got = parse_new(line, &exit_code);
	CHECK_INT(exit_code, 64);
	CHECK_HAS(got, part);
	CHECK_INT((int64_t)check_occurrences(got, "\n"), 1);
	free(got);
}

/* The words about sinks, with blanks between them. */
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
	CHECK_STR(options.service.state_path, "/var/run/nic_health_monitor/state.json");
	CHECK_STR(options.service.log_state_path, "/var/run/nic_health_monitor/logmatch.json");
	CHECK_STR(options.service.acks_path, "/var/run/nic_health_monitor/acks.json");
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
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		accept(rows[i].line, "");
		CHECK_STR(sinks(), rows[i].sinks);
	}
	refuse("--platform-connector-socket ''", "a target is missing");
	refuse("--sink - --platform-connector-token-path t",
		"--platform-connector-token-path needs --platform-connector-socket");
}

static void
like_the_original(void)
{
	accept("-checks=InfiniBandStateCheck,EFAStateCheck -node-name=n -state-polling-interval 1m30s "
	       "-config /etc/nic-health-monitor/config.yaml -metrics-port=2112 -processing-strategy=STORE_ONLY "
	       "-state-file /s/state.json -boot-id-path /b -metadata-path=/m",
		"t: warning: --checks: not known here, and left out: EFAStateCheck\n");
	CHECK_STR(options.service.checks, "InfiniBandStateCheck");
	CHECK_STR(options.service.node_name, "n");
	CHECK_STR(options.service.interval, "1m30s");
	CHECK_STR(options.service.strategy, "STORE_ONLY");
	CHECK_STR(options.service.acks_path, "/s/acks.json");
	CHECK_STR(options.service.metadata_path, "/m");
}

static void
refused(void)
{
	refuse("--checks EFAStateCheck", "none of these checks is known here");
	refuse("--config /etc/nic-health-monitor/config.toml", "TOML is not read");
	refuse("--node-name ''", "not a node's name");
	refuse("--interval soon", "--interval 'soon': not a duration");
	refuse("--state-polling-interval 0s", "--state-polling-interval '0s': not a duration");
	refuse("--interval 24h1ns", "not a duration");
	refuse("--state-file /x/acks.json", "that is the name of a file of its own");
	refuse("operand", "unexpected operand 'operand'");
}

static void
once(void)
{
	accept("--once --checks EFAStateCheck,EthernetStateCheck --quiet", "");
	CHECK_INT(options.mode, OPTIONS_ONCE);
	CHECK_STR(options.service.state_path, NULL);
	CHECK_STR(options.service.spool_path, NULL);
	CHECK_INT((int64_t)options.service.sink_word_count, 0);
	refuse("--once --metrics-port 1", "--metrics-port does not go with --once");
	refuse("--once --platform-connector-socket c:1",
		"--platform-connector-socket does not go with --once");
	refuse("--settle 1s", "--settle needs --once");
}

static const struct check_test tests[] = {
	{"without options everything is where the original has it", defaults},
	{"a port that is named is served at all addresses, unless one of these is", metrics},
	{"the Platform Connector is a sink, and the only one if there is no other", connector},
	{"the original's options are taken in its own forms", like_the_original},
	{"values that will not do are refused by name", refused},
	{"one look at the node takes no options of the service", once},
};
CHECK_MAIN(tests)
