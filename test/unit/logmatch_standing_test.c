/* Unit tests of logmatch's standing: the conditions that stand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/standing.h"

#include "check.h"
#include "checks.h"
#include "event.h"

#include <stdio.h>
#include <stdlib.h>

#define PCI "0000:18:00.0"
#define OTHER_PCI "0000:18:00.1"
#define TIMEOUT LOGPATTERN_CMD_EXEC_TIMEOUT
#define POLL LOGPATTERN_HEALTH_POLL_FAILED
#define POWER LOGPATTERN_PCI_POWER_INSUFFICIENT
#define HOUR CHECKS_LOG_NS

static struct standing *
standing_new(void)
{
	struct standing *standing = calloc(1, sizeof *standing);
	CHECK(standing != NULL);
	return standing;
}

/* `nic` is NULL if the event named none. */
static struct standing_entry
entry_of(const char *device, enum logpattern pattern, const char *nic, const char *id)
{
	struct standing_entry entry = {.pattern = pattern,
		.fatal = pattern != POWER,
		.strategy = event_strategies[EVENT_STORE_ONLY]};
	snprintf(entry.device, sizeof entry.device, "%s", device);
	snprintf(entry.id, sizeof entry.id, "%s", id);
	if (nic != NULL)
		snprintf(entry.nics.names[entry.nics.count++], sizeof *entry.nics.names, "%s", nic);
	return entry;
}

static void
add(struct standing *standing, const char *device, enum logpattern pattern, const char *nic,
	const char *id)
{
	const struct standing_entry entry = entry_of(device, pattern, nic, id);
	standing_add(standing, &entry);
}

static void
add_command(struct standing *standing, const char *device, const char *command, const char *id)
{
	struct standing_entry entry = entry_of(device, TIMEOUT, NULL, id);
	snprintf(entry.command, sizeof entry.command, "%s", command);
	standing_add(standing, &entry);
}

/* Return the id of a standing condition, or "-". */
static const char *
id_of(const struct standing *standing, const char *device, enum logpattern pattern,
	const char *command)
{
	const struct standing_entry *entry = standing_find(standing, device, pattern, command);
	return entry != NULL ? entry->id : "-";
}

/* For a device, end all patterns but power. */
static bool
ends(const void *device, const struct standing_entry *entry)
{
	return strcmp(entry->device, device) == 0 && entry->pattern != POWER;
}

/* Check a group, as `mlx5_0: cmd_exec_timeout a-1, ... STORE_ONLY`. */
static void
check_group(const struct standing_group *group, const char *expected)
{
	char text[400];
	int used = snprintf(
		text, sizeof text, "%s:", group->nics.count > 0 ? group->nics.names[0] : "-");
	for (size_t i = 0; i < group->count; i++)
		used += snprintf(text + used, sizeof text - (size_t)used, " %s %s,",
			logpattern_name(group->patterns[i]), group->ids[i]);
	snprintf(text + used, sizeof text - (size_t)used, " %s", group->strategy);
	CHECK_STR(text, expected);
}

static void
end_of(struct standing *standing, const char *device, const char *expected)
{
	struct standing_group group;
	standing_end(standing, ends, device, &group);
	check_group(&group, expected);
}

/* Check the next group that can be taken back; "": there is none. */
static void
takes(struct standing *standing, const char *expected)
{
	struct standing_group *group = malloc(sizeof *group);
	bool any = standing_consume(standing, group);
	CHECK_INT(any, *expected != '\0');
	if (any)
		check_group(group, expected);
	free(group);
}

/* --- stored conditions --- */

static void
finding(void)
{
	struct standing *standing = standing_new();
	add_command(standing, PCI, "ENABLE_HCA(0x104)", "a-1");
	add_command(standing, PCI, "MANAGE_PAGES(0x108)", "a-2");
	add(standing, PCI, POLL, NULL, "a-3");
	add_command(standing, OTHER_PCI, "ENABLE_HCA(0x104)", "a-4");
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "ENABLE_HCA(0x104)"), "a-1");
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "MANAGE_PAGES(0x108)"), "a-2");
	CHECK_STR(id_of(standing, OTHER_PCI, TIMEOUT, "ENABLE_HCA(0x104)"), "a-4");
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "INIT_HCA(0x102)"), "-");
	CHECK_STR(id_of(standing, OTHER_PCI, POLL, ""), "-");
	/* Of two commands it is unknown which. */
	CHECK_STR(id_of(standing, PCI, TIMEOUT, ""), "-");
	CHECK_STR(id_of(standing, OTHER_PCI, TIMEOUT, ""), "a-4");
	free(standing);
}

static void
again(void)
{
	struct standing *standing = standing_new();
	add_command(standing, PCI, "ENABLE_HCA(0x104)", "a-1");
	add_command(standing, PCI, "", "a-2");
	/* A condition without a command does not replace one with a command, nor the other way
	 * round. */
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "ENABLE_HCA(0x104)"), "a-1");
	add_command(standing, PCI, "ENABLE_HCA(0x104)", "a-3");
	add_command(standing, PCI, "", "a-4");
	CHECK_U64(standing->count, 2);
	CHECK_STR(standing->entries[0].id, "a-3");
	CHECK_STR(standing->entries[1].id, "a-4");
	/* With another NIC it is another condition for receivers. */
	add(standing, PCI, POLL, "mlx5_0", "a-5");
	add(standing, PCI, POLL, "mlx5_1", "a-6");
	add(standing, PCI, POLL, NULL, "a-7");
	CHECK_U64(standing->count, 5);
	add(standing, PCI, POLL, "mlx5_0", "a-8");
	CHECK_U64(standing->count, 5);
	CHECK_STR(standing->entries[4].id, "a-8");
	free(standing);
}

static void
said_with_less(void)
{
	struct standing *standing = standing_new();
	struct standing_entry entry = entry_of(PCI, POLL, "mlx5_0", "a-1");
	entry.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION];
	standing_add(standing, &entry);
	/* A receiver that acted on the first event does not get the second. */
	add(standing, PCI, POLL, "mlx5_0", "a-2");
	end_of(standing, PCI, "-: health_poll_failed a-2, EXECUTE_REMEDIATION");
	free(standing);
}

static void
further(void)
{
	static const char *const words[] = {
		"STORE_ONLY", "STORE_AND_ANALYSE", "EXECUTE_REMEDIATION"};
	for (size_t a = 0; a < CHECK_COUNT(words); a++) {
		for (size_t b = 0; b < CHECK_COUNT(words); b++)
			CHECK_STR(standing_further(words[a], words[b]), words[a > b ? a : b]);
	}
}

static void
renamed(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, TIMEOUT, NULL, "a-1");
	add(standing, PCI, POLL, NULL, "a-11");
	standing_rename(standing, "a-1", "b-1");
	CHECK_STR(standing->entries[0].id, "b-1");
	CHECK_STR(standing->entries[1].id, "a-11");
	free(standing);
}

static void
fatal(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, POLL, "mlx5_0", "a-1");
	add(standing, OTHER_PCI, POWER, "mlx5_1", "a-2");
	CHECK(standing_is_fatal(standing, PCI, POLL));
	CHECK(!standing_is_fatal(standing, OTHER_PCI, POLL));
	CHECK(!standing_is_fatal(standing, OTHER_PCI, POWER));
	CHECK(!standing_is_fatal(standing, PCI, TIMEOUT));
	end_of(standing, PCI, "-: health_poll_failed a-1, STORE_ONLY");
	CHECK(!standing_is_fatal(standing, PCI, POLL));
	free(standing);
}

/* As when its function has left sysfs and its type is unknown. */
static void
stays_fatal(void)
{
	struct standing *standing = standing_new();
	struct standing_entry less = entry_of(PCI, POLL, NULL, "a-3");
	add(standing, PCI, POLL, NULL, "a-1");
	add(standing, OTHER_PCI, POLL, "mlx5_1", "a-2");
	/* It is over, which can be reported only when nothing else stands. */
	end_of(standing, PCI, "-: health_poll_failed a-1, STORE_ONLY");
	less.fatal = false;
	standing_add(standing, &less);
	CHECK(standing_is_fatal(standing, PCI, POLL));
	CHECK_U64(standing_expire(standing, UINT64_MAX), 0);
	CHECK_U64(standing->count, 2);
	free(standing);
}

static void
oldest_forgotten(void)
{
	struct standing *standing = standing_new();
	char device[SUBJECT_SIZE];
	add(standing, "0002:18:00.0", POWER, NULL, "a-0");
	for (unsigned i = 0; i <= STANDING_MAX; i++) {
		snprintf(device, sizeof device, "%04x:18:00.0", i);
		add(standing, device, POLL, NULL, "a-1");
		if (i == 1)
			add(standing, "0000:18:00.0", POLL, NULL, "a-2");
	}
	CHECK_U64(standing->count, STANDING_MAX);
	/* The one that is not fatal goes first. The first fatal one was repeated after the
	 * second. */
	CHECK_STR(id_of(standing, "0002:18:00.0", POWER, ""), "-");
	CHECK_STR(id_of(standing, "0001:18:00.0", POLL, ""), "-");
	CHECK_STR(id_of(standing, "0000:18:00.0", POLL, ""), "a-2");
	CHECK_STR(id_of(standing, "0100:18:00.0", POLL, ""), "a-1");
	free(standing);
}

static void
hour(void)
{
	struct standing *standing = standing_new();
	struct standing_entry note = entry_of(PCI, POWER, "mlx5_0", "a-1");
	note.last_ns = 5;
	add(standing, PCI, POLL, "mlx5_0", "a-2");
	standing_add(standing, &note);
	CHECK_U64(standing_expire(standing, 0), 0);
	CHECK_U64(standing_expire(standing, HOUR + 4), 0);
	CHECK_U64(standing_expire(standing, HOUR + 5), 1);
	/* A fatal condition stands. */
	CHECK_U64(standing_expire(standing, UINT64_MAX), 0);
	CHECK_U64(standing->count, 1);
	CHECK_STR(standing->entries[0].id, "a-2");
	free(standing);
}

/* --- taking back --- */

static void
taking(void)
{
	struct standing *standing = standing_new();
	takes(standing, "");
	add(standing, PCI, POLL, "mlx5_0", "a-1");
	add(standing, OTHER_PCI, POLL, "mlx5_1", "a-2");
	add(standing, PCI, TIMEOUT, "mlx5_0", "a-3");
	add(standing, PCI, POWER, "mlx5_0", "a-4");
	struct standing_entry command = entry_of(PCI, TIMEOUT, "mlx5_0", "a-5");
	strcpy(command.command, "MANAGE_PAGES(0x108)");
	command.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION];
	standing_add(standing, &command);
	takes(standing, "");
	end_of(standing, PCI,
		"-: cmd_exec_timeout a-5, health_poll_failed a-1, EXECUTE_REMEDIATION");
	/* Only once. */
	end_of(standing, PCI, "-: STORE_ONLY");
	takes(standing,
		"mlx5_0: cmd_exec_timeout a-5, health_poll_failed a-1, EXECUTE_REMEDIATION");
	takes(standing, "");
	CHECK_U64(standing->count, 2);
	CHECK_STR(id_of(standing, PCI, POWER, ""), "a-4");
	CHECK_STR(id_of(standing, OTHER_PCI, POLL, ""), "a-2");
	free(standing);
}

static void
by_name(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, POLL, "mlx5_0", "a-1");
	add(standing, PCI, POLL, "ens1f0", "a-2");
	add(standing, PCI, TIMEOUT, "mlx5_0", "a-3");
	end_of(standing, PCI, "-: cmd_exec_timeout a-3, health_poll_failed a-2, STORE_ONLY");
	takes(standing, "mlx5_0: cmd_exec_timeout a-3, health_poll_failed a-1, STORE_ONLY");
	takes(standing, "ens1f0: health_poll_failed a-2, STORE_ONLY");
	takes(standing, "");
	CHECK_U64(standing->count, 0);
	free(standing);
}

/* For receivers the name is the NIC, whichever device has it. */
static void
two_of_a_name(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, POLL, "mlx5_0", "a-1");
	add(standing, PCI, TIMEOUT, "mlx5_0", "a-2");
	add(standing, OTHER_PCI, POLL, "mlx5_0", "a-3");
	end_of(standing, PCI, "-: cmd_exec_timeout a-2, health_poll_failed a-1, STORE_ONLY");
	takes(standing, "mlx5_0: cmd_exec_timeout a-2, STORE_ONLY");
	takes(standing, "");
	end_of(standing, OTHER_PCI, "-: health_poll_failed a-3, STORE_ONLY");
	takes(standing, "mlx5_0: health_poll_failed a-3, STORE_ONLY");
	takes(standing, "");
	CHECK_U64(standing->count, 0);
	free(standing);
}

/* An event without a NIC ends all conditions: it waits until nothing else stands. */
static void
without_name(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, POLL, NULL, "a-1");
	add(standing, OTHER_PCI, POLL, NULL, "a-2");
	add(standing, "0000:3a:00.0", TIMEOUT, "mlx5_2", "a-3");
	add(standing, "0000:3a:00.0", POWER, "mlx5_2", "a-4");
	end_of(standing, PCI, "-: health_poll_failed a-1, STORE_ONLY");
	takes(standing, "");
	end_of(standing, "0000:3a:00.0", "-: cmd_exec_timeout a-3, STORE_ONLY");
	takes(standing, "mlx5_2: cmd_exec_timeout a-3, STORE_ONLY");
	takes(standing, "");
	CHECK_U64(standing->count, 3);
	end_of(standing, OTHER_PCI, "-: health_poll_failed a-2, STORE_ONLY");
	takes(standing, "-: health_poll_failed a-2, STORE_ONLY");
	CHECK_U64(standing->count, 0);
	/* A fault reported again meanwhile stands again. */
	add(standing, PCI, POLL, NULL, "a-5");
	add(standing, OTHER_PCI, POLL, NULL, "a-6");
	end_of(standing, PCI, "-: health_poll_failed a-5, STORE_ONLY");
	add(standing, PCI, POLL, NULL, "a-7");
	end_of(standing, OTHER_PCI, "-: health_poll_failed a-6, STORE_ONLY");
	takes(standing, "");
	/* A condition that is not fatal does not delay it: it expires. */
	struct standing *notes = standing_new();
	add(notes, PCI, POWER, NULL, "a-8");
	notes->entries[0].over = true;
	takes(notes, "");
	free(notes);
	free(standing);
}

static void
all_patterns(void)
{
	struct standing *standing = standing_new();
	struct standing_group *group = malloc(sizeof *group);
	for (int i = 0; i < 5; i++) {
		for (enum logpattern pattern = LOGPATTERN_N; pattern > 0; pattern--) {
			struct standing_entry entry =
				entry_of(PCI, pattern - 1, i % 2 != 0 ? "mlx5_0" : NULL, "a-1");
			snprintf(entry.command, sizeof entry.command, "C(0x%d)", i);
			standing_add(standing, &entry);
		}
	}
	standing_end(standing, ends, PCI, group);
	CHECK_U64(group->count, LOGPATTERN_N - 1);
	CHECK(standing_consume(standing, group));
	CHECK_U64(group->count, LOGPATTERN_N - 1);
	CHECK(standing_consume(standing, group));
	CHECK_U64(group->count, LOGPATTERN_N - 1);
	CHECK(!standing_consume(standing, group));
	CHECK_U64(standing->count, 0);
	free(group);
	free(standing);
}

/* --- commands --- */

static void
commands(void)
{
	static const struct {
		const char *text, *command;
	} rows[] = {
		{"mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. "
		 "Will cause",
			"ENABLE_HCA(0x104)"},
		{"cmd[0]: MANAGE_PAGES(0x108) recovered after timeout", "MANAGE_PAGES(0x108)"},
		{"2ERR_QP(0x507) timeout", "2ERR_QP(0x507)"},
		{"ENABLE_HCA(0x104", ""},
		{"ENABLE_HCA(0x104)", "ENABLE_HCA(0x104)"},
		{"(0x104)", ""},
		{"syndrome (0x104)", ""},
		{"x(0x104) X(0x5)", ""},
		{"ENABLE_HCA(104)", ""},
		/* The command is stored in the state file, which allows only UTF-8. */
		{"ENABLE_HCA(0x\xff)", ""},
		{"ENABLE_HCA(0x1 timeout)", ""},
		{"", ""},
		{"(0x", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		size_t length = strlen(rows[i].text);
		char *text = malloc(length > 0 ? length : 1);
		char command[STANDING_COMMAND_SIZE];
		memcpy(text, rows[i].text, length);
		check_row("%s", rows[i].text);
		standing_command(text, length, command);
		CHECK_STR(command, rows[i].command);
		free(text);
	}
}

static void
command_lengths(void)
{
	for (size_t length = STANDING_COMMAND_SIZE - 2; length <= STANDING_COMMAND_SIZE + 1;
		length++) {
		char *text = check_repeat_new('A', length);
		char *command = malloc(STANDING_COMMAND_SIZE);
		memcpy(text + length - 5, "(0x1)", 5);
		check_row("%zu bytes", length);
		standing_command(text, length, command);
		CHECK_STR(command, length < STANDING_COMMAND_SIZE ? text : "");
		free(text);
		free(command);
	}
}

static const struct check_test tests[] = {
	{"a condition is found by function, pattern and command", finding},
	{"a repeated condition has the later event, and other NICs make another condition", again},
	{"a condition is taken back with the widest strategy that it was reported with",
		said_with_less},
	{"EXECUTE_REMEDIATION is wider than STORE_AND_ANALYSE, and that wider than STORE_ONLY",
		further},
	{"after an event's id changed, its condition has the new id", renamed},
	{"a fatal condition counts as fatal until it ends", fatal},
	{"a fatal condition that ended but was not taken back still counts as fatal", stays_fatal},
	{"beyond the limit the oldest condition is evicted, those that are not fatal first",
		oldest_forgotten},
	{"a condition that is not fatal expires after an hour", hour},
	{"an ended condition is removed once, one of each pattern", taking},
	{"each set of NICs that was named is taken back separately", by_name},
	{"conditions of two devices under one name are taken back when both have ended",
		two_of_a_name},
	{"a condition without a NIC is taken back when no other fatal one stands", without_name},
	{"all patterns may end at once", all_patterns},
	{"a command is parsed with its number", commands},
	{"a command that is too long is ignored", command_lengths},
};
CHECK_MAIN(tests)
