/* Unit tests of the supervisor's readiness: problems of starting on a node, from the facts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/readiness.h"

#include "check.h"
#include "num.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* 2026-11-22 */
#define NOW_NS (1795305600 * NUM_NS_PER_S)

static struct readiness_facts
all_well(void)
{
	return (struct readiness_facts){
		.programs = "/bin",
		.sysfs_root = {.path = "/sys"},
		.is_sysfs = true,
		.kmsg = {.path = "/dev/kmsg"},
		.boot_id = {.path = "/boot_id"},
		.state = {.path = "/run/state.json"},
		.log_state = {.path = "/run/logmatch.json"},
		.spool = {.path = "/var/spool.db"},
		.node = "gpu-1",
		.now_ns = NOW_NS,
		.metrics_port = 2112,
	};
}

/* Return every finding as a line with its severity and, if fatal, its exit code; `*` marks a
 * stage's own message. To free(). */
static char *
eval_new(const struct readiness_facts *facts, int *exit_code)
{
	static const char letters[] = "FLWN";
	struct findings findings;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	readiness_eval(&findings, facts);
	CHECK(!findings.failed);
	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *finding = &findings.items[i];
		fprintf(out, "%c", letters[finding->severity]);
		if (finding->severity == FINDING_FATAL)
			fprintf(out, "%d", finding->exit_code);
		fprintf(out, "%s %s\n", finding->is_heard ? "*" : "", finding->text);
	}
	fclose(out);
	*exit_code = findings_exit_code(&findings);
	findings_fini(&findings);
	return text;
}

static void
check_said(const struct readiness_facts *facts, int exit_code, const char *said)
{
	int got;
	char *text = eval_new(facts, &got);
	CHECK_STR(text, said);
	CHECK_INT(got, exit_code);
	free(text);
}

/* Check that there is one line, which starts like this. */
static void
check_one(const struct readiness_facts *facts, int exit_code, const char *beginning)
{
	int got;
	char *text = eval_new(facts, &got);
	CHECK_INT((int64_t)check_occurrences(text, "\n"), 1);
	CHECK(strncmp(text, beginning, strlen(beginning)) == 0);
	CHECK_HAS(text, beginning);
	CHECK_INT(got, exit_code);
	free(text);
}

static void
well(void)
{
	struct readiness_facts facts = all_well();
	check_said(&facts, 0, "");
	/* Nor is anything wrong with files that are not wanted. */
	facts.kmsg = (struct readiness_file){0};
	facts.state = facts.log_state = facts.spool = (struct readiness_place){0};
	facts.metrics_port = -1;
	check_said(&facts, 0, "");
}

static void
programs(void)
{
	struct readiness_facts facts = all_well();
	facts.program_errors[STAGE_TOPOCLASS] = ENOENT;
	check_one(&facts, 127, "F127 /bin/topoclass: No such file or directory: ");
	facts.program_errors[STAGE_TOPOCLASS] = EACCES;
	check_one(&facts, 126, "F126 /bin/topoclass: Permission denied: ");
	facts = all_well();
	facts.program_errors[STAGE_LOGMATCH] = ENOENT;
	check_said(&facts, 0, "");
	facts.program_errors[STAGE_LOGMATCH] = EACCES;
	check_said(&facts, 0, "L /bin/logmatch: Permission denied: continuing without it\n");
}

static void
configuration(void)
{
	struct readiness_facts facts = all_well();
	facts.conf_status = 78;
	check_said(&facts, 78, "F78 the configuration cannot be used, see above\n");
	facts.conf_status = 0;
	facts.unread_toml = "/etc/config.toml";
	check_one(&facts, 0,
		"W /etc/config.toml is not read, since there is a config.yaml beside it");
}

static void
sysfs(void)
{
	struct readiness_facts facts = all_well();
	facts.sysfs_root.error = ENOENT;
	check_one(&facts, 66, "F66 /sys: No such file or directory: ");
	facts.sysfs_root.error = EACCES;
	check_one(&facts, 77, "F77 /sys: Permission denied: ");
	facts.sysfs_root.error = ENOTDIR;
	check_one(&facts, 66, "F66 /sys: Not a directory: ");
}

static void
refused(void)
{
	struct readiness_facts facts = all_well();
	facts.trials[STAGE_EMIT] = (struct readiness_trial){.is_refused = true,
		.exit_code = 64,
		.said = "emit: warning: w\nemit: error: --sink 'x': unknown\nemit: error: no end"};
	check_said(&facts, 64, "F64* emit: error: --sink 'x': unknown\nF64* emit: error: no end\n");
	facts.thorough = true;
	check_said(&facts, 64,
		"W* emit: warning: w\nF64* emit: error: --sink 'x': unknown\nF64* emit: error: no "
		"end\n");
	/* It is fatal even without a message. */
	facts.trials[STAGE_EMIT].said = NULL;
	check_said(&facts, 64, "F64 emit rejected its options without a message\n");
}

static void
troubled(void)
{
	struct readiness_facts facts = all_well();
	facts.trials[STAGE_CTREVAL] = (struct readiness_trial){
		.trouble = "killed by SIGSEGV", .said = "ctreval: error: e"};
	check_said(&facts, 0, "L ctreval, when it was tried: killed by SIGSEGV\n");
}

static void
metadata(void)
{
	struct readiness_facts facts = all_well();
	struct readiness_trial *trial = &facts.trials[STAGE_TOPOCLASS];
	*trial = (struct readiness_trial){.is_refused = true,
		.exit_code = 78,
		.said = "topoclass: error: /m.json: no gpus (name the GPU metadata with "
			"--metadata)\n"};
	check_one(&facts, 78,
		"F78 GPU metadata: /m.json: no gpus: without it the NICs have no roles");
	trial->said = "topoclass: error: /m.json: torn\n";
	check_one(&facts, 78, "F78 GPU metadata: /m.json: torn: without it the NICs have no roles");
	trial->said = NULL;
	check_one(&facts, 78, "F78 GPU metadata: not usable: ");
	/* With an override it can continue without. */
	*trial = (struct readiness_trial){.said = "topoclass: warning: /m.json: going on\n"};
	check_said(&facts, 0, "");
	facts.thorough = true;
	check_said(&facts, 0, "W* topoclass: warning: /m.json: going on\n");
}

static void
files(void)
{
	struct readiness_facts facts = all_well();
	facts.kmsg.error = EPERM;
	check_said(&facts, 0,
		"L the kernel's log will not be watched: /dev/kmsg: Operation not permitted: give "
		"the service CAP_SYSLOG, or turn it off with --kmsg ''\n");
	facts.kmsg.error = ENOENT;
	check_said(&facts, 0,
		"L the kernel's log will not be watched: /dev/kmsg: No such file or directory: "
		"name it with --kmsg, or turn it off with --kmsg ''\n");
	facts = all_well();
	facts.boot_id.error = ENOENT;
	check_one(&facts, 0,
		"W the boot id cannot be read, so reboots will go unnoticed: /boot_id: ");
}

static void
places(void)
{
	static const struct {
		int error;
		const char *text;
	} errors[] = {{EACCES, "Permission denied"}, {EISDIR, "Is a directory"},
		{READINESS_SPECIAL, "not a regular file"}, {READINESS_LINK, "a symbolic link"}};
	struct readiness_facts facts = all_well();
	facts.thorough = true;
	facts.state.directory_error = EROFS;
	check_one(&facts, 0,
		"L state file /run/state.json: its directory cannot be written to (Read-only file "
		"system)");
	for (size_t i = 0; i < CHECK_COUNT(errors); i++) {
		char said[200];
		facts = all_well();
		facts.thorough = true;
		/* One line is enough. */
		facts.state.directory_error = EACCES;
		facts.state.error = errors[i].error;
		snprintf(said, sizeof said,
			"L state file /run/state.json: %s: the state of the NICs will be lost",
			errors[i].text);
		check_row("%s", errors[i].text);
		check_one(&facts, 0, said);
		/* A stage that is started reports it itself. */
		facts.thorough = false;
		check_said(&facts, 0, "");
	}
	check_row("%s", "");
	facts = all_well();
	facts.thorough = true;
	facts.log_state.error = EACCES;
	check_one(&facts, 0,
		"L state file /run/logmatch.json: Permission denied: what the kernel's log "
		"contains will be reported again with each restart: ");
	facts = all_well();
	facts.spool.directory_error = ENOSPC;
	check_said(&facts, 0,
		"W spool /var/spool.db: its directory cannot be written to (No space left on "
		"device): events are kept in memory until that works\n");
	facts = all_well();
	facts.spool.error = EACCES;
	check_one(
		&facts, 0, "W spool /var/spool.db: it cannot be written to (Permission denied): ");
}

static void
users(void)
{
	/* A service that starts cannot have it; a check only reports it. */
	static const char process[] = "process 4711", stranger[] = "a process of another container";
	struct readiness_facts facts = all_well();
	strcpy(facts.state.user, process);
	check_said(&facts, 75,
		"F75 state file /run/state.json: process 4711 uses it: is another "
		"nic-health-monitor running on this node?\n");
	facts.thorough = true;
	check_said(&facts, 0,
		"N state file /run/state.json: process 4711 uses it: a service is running\n");
	facts = all_well();
	strcpy(facts.log_state.user, process);
	check_one(&facts, 75, "F75 state file /run/logmatch.json: process 4711 uses it: ");
	facts = all_well();
	strcpy(facts.spool.user, stranger);
	check_one(&facts, 75, "F75 spool /var/spool.db: a process of another container uses it: ");
	facts.thorough = true;
	check_one(&facts, 0, "N spool /var/spool.db: a process of another container uses it: ");
}

static void
clocks(void)
{
	struct readiness_facts facts = all_well();
	facts.now_ns = 0;
	check_one(&facts, 0, "W the clock says 1970-01-01T00:00:00.000000Z: ");
	facts.now_ns = 1735689600 * NUM_NS_PER_S - 1;
	check_one(&facts, 0, "W the clock says 2024-12-31T23:59:59.999999Z: ");
	facts.now_ns++;
	check_said(&facts, 0, "");
	facts.now_ns = 4102444800 * NUM_NS_PER_S;
	check_one(&facts, 0, "W the clock says 2100-01-01T00:00:00.000000Z: ");
	facts.now_ns--;
	check_said(&facts, 0, "");
}

static void
names(void)
{
	static const char *const rows[] = {"", "localhost", "(none)"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct readiness_facts facts = all_well();
		char wanted[60];
		facts.node = rows[i];
		snprintf(wanted, sizeof wanted, "W this node's name is '%s'", rows[i]);
		check_one(&facts, 0, wanted);
	}
}

static void
port(void)
{
	struct readiness_facts facts = all_well();
	facts.metrics_error = EADDRINUSE;
	check_one(&facts, 0,
		"W metrics and health cannot be served at any address, port 2112: Address already "
		"in use");
	facts.metrics_address = "127.0.0.1";
	check_one(&facts, 0, "W metrics and health cannot be served at 127.0.0.1 port 2112: ");
	/* Not by another instance of this service. */
	facts.is_served = true;
	check_said(&facts, 0,
		"N metrics and health at port 2112: a nic-health-monitor that is running serves "
		"them\n");
}

static void
together(void)
{
	struct readiness_facts facts = all_well();
	int exit_code;
	facts.sysfs_root.error = ENOENT;
	facts.conf_status = 78;
	facts.program_errors[STAGE_EMIT] = ENOENT;
	facts.kmsg.error = EPERM;
	facts.boot_id.error = ENOENT;
	facts.spool.error = EACCES;
	facts.node = "";
	facts.now_ns = 0;
	facts.metrics_error = EADDRINUSE;
	char *text = eval_new(&facts, &exit_code);
	CHECK_INT((int64_t)check_occurrences(text, "\n"), 9);
	/* That of the first fatal finding. */
	CHECK_INT(exit_code, 78);
	free(text);
}

static const struct check_test tests[] = {
	{"where all is well there is no finding", well},
	{"a program that cannot be run is fatal, unless it is optional", programs},
	{"a bad configuration is fatal, and a file that is not read is named", configuration},
	{"a missing sysfs is fatal", sysfs},
	{"a stage that refuses its options is fatal, with its own message", refused},
	{"a stage that fails otherwise is a loud finding, since it may recover", troubled},
	{"bad metadata are fatal, unless the stage can run without", metadata},
	{"files that cannot be read are named, with the remedy", files},
	{"files that cannot be written are named, with the consequence", places},
	{"files of another process are fatal when starting, and a note when only checking", users},
	{"a clock that is years off is reported", clocks},
	{"a node name that is not unique is reported", names},
	{"a port in use is reported, unless another nic-health-monitor uses it", port},
	{"all problems are reported at once", together},
};
CHECK_MAIN(tests)
