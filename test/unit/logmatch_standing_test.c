/* Unit tests of what logmatch remembers as unanswered. */
#include "../../tools/logmatch/standing.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define PCI "0000:18:00.0"
#define OTHER_PCI "0000:18:00.1"
#define TIMEOUT LOGPATTERN_CMD_EXEC_TIMEOUT

static struct standing *
standing_new(void)
{
	struct standing *standing = calloc(1, sizeof *standing);
	CHECK(standing != NULL);
	return standing;
}

static void
add(struct standing *standing, const char *pci, enum logpattern pattern, const char *id,
	const char *command)
{
	struct standing_entry entry = {.pattern = pattern};
	snprintf(entry.pci, sizeof entry.pci, "%s", pci);
	snprintf(entry.id, sizeof entry.id, "%s", id);
	snprintf(entry.command, sizeof entry.command, "%s", command);
	standing_add(standing, &entry);
}

/* The id of what stands; "-": nothing. */
static const char *
id_of(const struct standing *standing, const char *pci, enum logpattern pattern,
	const char *command)
{
	const struct standing_entry *entry = standing_find(standing, pci, pattern, command);
	return entry != NULL ? entry->id : "-";
}

static bool
not_power(enum logpattern pattern)
{
	return pattern != LOGPATTERN_PCI_POWER_INSUFFICIENT;
}

static void
finding(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, TIMEOUT, "a-1", "ENABLE_HCA(0x104)");
	add(standing, PCI, TIMEOUT, "a-2", "MANAGE_PAGES(0x108)");
	add(standing, PCI, LOGPATTERN_HEALTH_POLL_FAILED, "a-3", "");
	add(standing, OTHER_PCI, TIMEOUT, "a-4", "ENABLE_HCA(0x104)");
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "ENABLE_HCA(0x104)"), "a-1");
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "MANAGE_PAGES(0x108)"), "a-2");
	CHECK_STR(id_of(standing, OTHER_PCI, TIMEOUT, "ENABLE_HCA(0x104)"), "a-4");
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "INIT_HCA(0x102)"), "-");
	CHECK_STR(id_of(standing, OTHER_PCI, LOGPATTERN_HEALTH_POLL_FAILED, ""), "-");
	/* Of two, who knows which. */
	CHECK_STR(id_of(standing, PCI, TIMEOUT, ""), "-");
	CHECK_STR(id_of(standing, OTHER_PCI, TIMEOUT, ""), "a-4");
	free(standing);
}

static void
again(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, TIMEOUT, "a-1", "ENABLE_HCA(0x104)");
	add(standing, PCI, TIMEOUT, "a-2", "");
	/* One without a command does not take the place of one with it, nor the other way round. */
	CHECK_STR(id_of(standing, PCI, TIMEOUT, "ENABLE_HCA(0x104)"), "a-1");
	add(standing, PCI, TIMEOUT, "a-3", "ENABLE_HCA(0x104)");
	add(standing, PCI, TIMEOUT, "a-4", "");
	CHECK_U64(standing->count, 2);
	CHECK_STR(standing->entries[0].id, "a-3");
	CHECK_STR(standing->entries[1].id, "a-4");
	free(standing);
}

static void
renamed(void)
{
	struct standing *standing = standing_new();
	add(standing, PCI, TIMEOUT, "a-1", "ENABLE_HCA(0x104)");
	add(standing, PCI, LOGPATTERN_HEALTH_POLL_FAILED, "a-11", "");
	standing_rename(standing, "a-1", "b-1");
	CHECK_STR(standing->entries[0].id, "b-1");
	CHECK_STR(standing->entries[1].id, "a-11");
	free(standing);
}

static void
taking(void)
{
	struct standing *standing = standing_new();
	struct standing_entry out[LOGPATTERN_N];
	add(standing, PCI, LOGPATTERN_HEALTH_POLL_FAILED, "a-1", "");
	add(standing, OTHER_PCI, LOGPATTERN_HEALTH_POLL_FAILED, "a-2", "");
	add(standing, PCI, TIMEOUT, "a-3", "ENABLE_HCA(0x104)");
	add(standing, PCI, LOGPATTERN_PCI_POWER_INSUFFICIENT, "a-4", "");
	add(standing, PCI, TIMEOUT, "a-5", "MANAGE_PAGES(0x108)");
	/* In the order of the patterns; of two commands the later one. */
	CHECK_U64(standing_take(standing, PCI, not_power, out), 2);
	CHECK_STR(out[0].id, "a-5");
	CHECK_STR(out[1].id, "a-1");
	CHECK_U64(standing_take(standing, PCI, not_power, out), 0);
	CHECK_U64(standing->count, 2);
	CHECK_STR(id_of(standing, PCI, LOGPATTERN_PCI_POWER_INSUFFICIENT, ""), "a-4");
	CHECK_STR(id_of(standing, OTHER_PCI, LOGPATTERN_HEALTH_POLL_FAILED, ""), "a-2");
	free(standing);
}

static void
all_patterns(void)
{
	struct standing *standing = standing_new();
	/* Room for exactly as many as there can be: the sanitizer sees one more. */
	struct standing_entry *out = calloc(LOGPATTERN_N, sizeof *out);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		for (int i = 0; i < 5; i++) {
			char command[20];
			snprintf(command, sizeof command, "C(0x%d)", i);
			add(standing, PCI, pattern, "a-1", command);
		}
	}
	CHECK_U64(standing_take(standing, PCI, not_power, out), LOGPATTERN_N - 1);
	free(out);
	free(standing);
}

static void
oldest_forgotten(void)
{
	struct standing *standing = standing_new();
	char pci[PCIADDR_SIZE];
	for (unsigned i = 0; i <= STANDING_MAX; i++) {
		snprintf(pci, sizeof pci, "%04x:18:00.0", i);
		add(standing, pci, TIMEOUT, "a-1", "");
		if (i == 1)
			add(standing, "0000:18:00.0", TIMEOUT, "a-2", "");
	}
	/* The first was said again after the second. */
	CHECK_U64(standing->count, STANDING_MAX);
	CHECK_STR(id_of(standing, "0001:18:00.0", TIMEOUT, ""), "-");
	CHECK_STR(id_of(standing, "0000:18:00.0", TIMEOUT, ""), "a-2");
	CHECK_STR(id_of(standing, "0100:18:00.0", TIMEOUT, ""), "a-1");
	free(standing);
}

static void
commands(void)
{
	static const struct {
		const char *text, *command;
	} rows[] = {
		{"mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause",
			"ENABLE_HCA(0x104)"},
		{"cmd[0]: MANAGE_PAGES(0x108) recovered after timeout", "MANAGE_PAGES(0x108)"},
		{"2ERR_QP(0x507) timeout", "2ERR_QP(0x507)"},
		{"ENABLE_HCA(0x104", ""},
		{"ENABLE_HCA(0x104)", "ENABLE_HCA(0x104)"},
		{"(0x104)", ""},
		{"syndrome (0x104)", ""},
		{"x(0x104) X(0x5)", ""},
		{"ENABLE_HCA(104)", ""},
		/* Goes into the state file, which takes text only. */
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
	{"a condition that is said again has the later event", again},
	{"an event with another id is named by it", renamed},
	{"what is answered is taken out, one of each pattern", taking},
	{"all patterns may be answered at once", all_patterns},
	{"of too many the one that was said longest ago is forgotten", oldest_forgotten},
	{"a command is read with its number", commands},
	{"a command that is too long is none", command_lengths},
};
CHECK_MAIN(tests)
