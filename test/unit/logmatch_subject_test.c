/* Unit tests of logmatch's subject: the device that a line is about. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/subject.h"

#include "check.h"

#include <stdlib.h>

static void
subjects(void)
{
	static const struct {
		const char *pci, *text, *subject;
	} rows[] = {
		{"0000:18:00.0",
			"NETDEV WATCHDOG: ens108np0 (mlx5_core): transmit queue 3 timed out",
			"0000:18:00.0"},
		{"", "NETDEV WATCHDOG: ens108np0 (mlx5_core): transmit queue 3 timed out",
			"ens108np0"},
		{"", "NETDEV WATCHDOG: ens108np1 (mlx5_core): transmit queue 63 timed out",
			"ens108np1"},
		{"", "mlx5_core.sf mlx5_core.sf.4: cmd_work_handler:1:(pid 2): x",
			"mlx5_core.sf.4"},
		{"", "mlx5_core.sf mlx5_core.sf.5 eth0: NETDEV WATCHDOG: CPU: 9: x",
			"mlx5_core.sf.5"},
		{"", "NETDEV WATCHDOG: ", ""},
		{"", "NETDEV WATCHDOG: CPU: 5: transmit queue 3 timed out", "CPU"},
		{"", "BUG: soft lockup - CPU#9 stuck for 22s!", ""},
		{"", "", ""},
		/* The name is stored in the state file, which allows only UTF-8. */
		{"", "NETDEV WATCHDOG: ens\xff (mlx5_core): x", ""},
		{"", "NETDEV WATCHDOG: ens\x1b[1m (mlx5_core): x", ""},
		{"", "NETDEV WATCHDOG: a,b (mlx5_core): x", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		/* A copy without a NUL lets the sanitizer detect reads beyond it. */
		size_t length = strlen(rows[i].text);
		char *text = malloc(length > 0 ? length : 1), *subject = malloc(SUBJECT_SIZE);
		memcpy(text, rows[i].text, length);
		check_row("%s", rows[i].text);
		subject_find(rows[i].pci, text, length, subject);
		CHECK_STR(subject, rows[i].subject);
		CHECK(subject_is(subject));
		free(subject);
		free(text);
	}
}

static void
lengths(void)
{
	for (size_t length = SUBJECT_SIZE - 2; length <= SUBJECT_SIZE + 1; length++) {
		char *name = check_repeat_new('e', length), *text, *subject = malloc(SUBJECT_SIZE);
		CHECK(asprintf(&text, "NETDEV WATCHDOG: %s (mlx5_core): x", name) > 0);
		check_row("%zu bytes", length);
		subject_find("", text, strlen(text), subject);
		CHECK_STR(subject, length < SUBJECT_SIZE ? name : "");
		CHECK_INT(subject_is(name), length < SUBJECT_SIZE);
		free(subject);
		free(text);
		free(name);
	}
}

static void
foreign(void)
{
	static const char *const rows[] = {" ", "a b", "a/b", "\xC3\xA4", "a\n", "\"", "a,b"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i]);
		CHECK(!subject_is(rows[i]));
	}
}

static const struct check_test tests[] = {
	{"a line is about its PCI address, else about the interface or sub-function that it names",
		subjects},
	{"a name that is too long is ignored", lengths},
	{"a name with other bytes is no device", foreign},
};
CHECK_MAIN(tests)
