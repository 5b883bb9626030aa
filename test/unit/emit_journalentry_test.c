/* Unit tests of emit's journalentry: an event as an entry of systemd's journal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/journalentry.h"

#include "check.h"

#include <stdlib.h>

/* Return the entry of a record, given with ' for ", as text in which NUL is `.`. */
static char *
entry_of_new(const char *text, const char *line)
{
	size_t size;
	json_t *event = check_json_new(text);
	char *entry = journalentry_new(event, line, strlen(line), &size);
	char *copy = check_repeat_new('.', size);
	for (size_t i = 0; i < size; i++)
		copy[i] = entry[i] != '\0' ? entry[i] : '.';
	free(entry);
	json_decref(event);
	return copy;
}

static void
has_fields(void)
{
	char *entry = entry_of_new(
		"{'kind':'event','id':'s-1','checkName':'InfiniBandStateCheck','isFatal':true,"
		"'isHealthy':false,'message':'Port mlx5_0 port 1: down','recommendedAction':"
		"'REPLACE_VM','errorCode':['port_state'],'entitiesImpacted':[{'entityType':'NIC',"
		"'entityValue':'mlx5_0'},{'entityType':'NICPort','entityValue':'1'}],'metadata':"
		"{'pci':'0000:18:00.0','role':'compute','runbook':'https://w/a#b'},'nodeName':'n1',"
		"'processingStrategy':'STORE_ONLY'}",
		"{...}");
	CHECK_STR(entry, "MESSAGE=Port mlx5_0 port 1: down\nPRIORITY=2\n"
			 "SYSLOG_IDENTIFIER=nic-health-monitor\nNIC_SEVERITY=fatal\n"
			 "NIC_EVENT=s-1\nNIC_NODE=n1\nNIC_CHECK=InfiniBandStateCheck\n"
			 "NIC_CODE=port_state\nNIC_DEVICE=mlx5_0\nNIC_PORT=1\n"
			 "NIC_PCI=0000:18:00.0\nNIC_ROLE=compute\nNIC_ACTION=REPLACE_VM\n"
			 "NIC_STRATEGY=STORE_ONLY\nDOCUMENTATION=https://w/a#b\n"
			 "NIC_RECORD={...}\n");
	free(entry);
}

static void
ranks(void)
{
	static const struct {
		const char *event, *expected;
	} rows[] = {
		{"{'isFatal':true}", "PRIORITY=2\nSYSLOG_IDENTIFIER=nic-health-monitor\n"
				     "NIC_SEVERITY=fatal\n"},
		{"{'isFatal':false}", "PRIORITY=4\nSYSLOG_IDENTIFIER=nic-health-monitor\n"
				      "NIC_SEVERITY=degraded\n"},
		{"{'isHealthy':true}", "PRIORITY=5\nSYSLOG_IDENTIFIER=nic-health-monitor\n"
				       "NIC_SEVERITY=healthy\n"},
		{"{'isFatal':true,'metadata':{'silence':'0123'}}",
			"PRIORITY=5\nSYSLOG_IDENTIFIER=nic-health-monitor\n"
			"NIC_SEVERITY=silenced\n"},
		{"{'isHealthy':true,'checkName':'NICIdentityCheck'}",
			"PRIORITY=6\nSYSLOG_IDENTIFIER=nic-health-monitor\n"
			"NIC_SEVERITY=changed\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].event);
		char *entry = entry_of_new(rows[i].event, "{}");
		CHECK_HAS(entry, rows[i].expected);
		free(entry);
	}
}

static void
guards_line_ends(void)
{
	char *entry = entry_of_new("{'message':'one\\nPRIORITY=0','checkName':'c'}", "{}");
	CHECK_HAS(entry, "MESSAGE\n\x0e.......one\nPRIORITY=0\nPRIORITY=4\n");
	free(entry);
	entry = entry_of_new("{'checkName':'c'}", "{}");
	CHECK_HAS(entry, "MESSAGE=c\n");
	free(entry);
	entry = entry_of_new("{}", "{}");
	CHECK(strncmp(entry, "PRIORITY=", strlen("PRIORITY=")) == 0);
	free(entry);
}

static void
is_bounded(void)
{
	char *line = check_repeat_new('x', JOURNALENTRY_MAX_BYTES);
	char *entry = entry_of_new("{'message':'m'}", line);
	CHECK_HAS(entry, "MESSAGE=m\n");
	CHECK_U64(check_occurrences(entry, "NIC_RECORD"), 0);
	free(entry);
	line[JOURNALENTRY_MAX_BYTES / 2] = '\0';
	entry = entry_of_new("{'message':'m'}", line);
	CHECK_U64(check_occurrences(entry, "NIC_RECORD"), 1);
	CHECK(strlen(entry) <= JOURNALENTRY_MAX_BYTES);
	free(entry);
	free(line);
}

static const struct check_test tests[] = {
	{"an entry has a message, a priority, searchable fields, and the record", has_fields},
	{"the priority follows the severity, and healthy or silenced events are notices", ranks},
	{"a message with line ends adds no other fields", guards_line_ends},
	{"an entry that is too long is written without its record", is_bounded},
};

CHECK_MAIN(tests)
