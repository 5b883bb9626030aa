/* sent - the events that have arrived at a sink, by check and severity. */
#include "sent.h"

#include "rec.h"

#include <stdbool.h>
#include <string.h>

const char *const sent_checks[SENT_CHECKS] = {
	"InfiniBandStateCheck",
	"InfiniBandDegradationCheck",
	"EthernetStateCheck",
	"EthernetDegradationCheck",
	"SysLogsNICDriverError",
	"other",
};

void
sent_add(struct sent *sent, const char *line, size_t length)
{
	struct rec_error error;
	const char *name = "";
	bool is_fatal = false;
	size_t check = 0;
	if (sent == NULL)
		return;
	json_t *record = rec_parse_new(line, length - 1, &error);
	rec_get_string(record, "checkName", &name);
	rec_get_bool(record, "isFatal", &is_fatal);
	while (check < SENT_OTHER && strcmp(sent_checks[check], name) != 0)
		check++;
	json_decref(record);
	sent->on_its_way[check][is_fatal ? SENT_FATAL : SENT_NOT_FATAL]++;
}

void
sent_arrive(struct sent *sent)
{
	if (sent == NULL)
		return;
	for (size_t check = 0; check < SENT_CHECKS; check++) {
		for (size_t i = 0; i < SENT_SEVERITY_N; i++)
			sent->arrived[check][i] += sent->on_its_way[check][i];
	}
	sent_forget(sent);
}

void
sent_forget(struct sent *sent)
{
	if (sent != NULL)
		memset(sent->on_its_way, 0, sizeof sent->on_its_way);
}
