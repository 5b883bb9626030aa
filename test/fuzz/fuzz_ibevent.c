/* fuzz_ibevent - parses arbitrary bytes as ibevent's input. The first byte selects an rtnetlink
 * message, a uevent or a trace line. Every notice becomes a record on one line of JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/linktable.h"
#include "../../tools/ibevent/merger.h"
#include "../../tools/ibevent/traceline.h"
#include "../../tools/ibevent/ueventmessage.h"
#include "rec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_notice(void *context, const struct notice *notice)
{
	char line[REC_EVENT_MAX_BYTES];
	struct rec_error error;
	size_t length = notice_format(notice, context, line);
	assert(length > 0 && line[length - 1] == '\n' && memchr(line, '\n', length - 1) == NULL);
	json_t *record = rec_parse_new(line, length - 1, &error);
	assert(record != NULL);
	json_decref(record);
}

static void
merge(struct notice *notice)
{
	static char node[] = "n";
	static struct merger merger;
	static uint64_t now_ns;
	now_ns += MERGER_WINDOW_NS / 7;
	notice->when.boottime_ns = now_ns;
	merger_accept(&merger, notice, check_notice, node);
	uint64_t deadline_ns = merger_deadline_ns(&merger);
	assert(deadline_ns > now_ns);
}

static void
check_links(const unsigned char *bytes, size_t length)
{
	struct linktable table = {0};
	struct linkmessage message;
	enum linkmessage_status status;
	linktable_begin_list(&table);
	while ((status = linkmessage_next(&bytes, &length, &message)) == LINKMESSAGE_CHANGED ||
		status == LINKMESSAGE_GONE) {
		struct linktable_change change;
		assert(memchr(message.name, '\0', sizeof message.name) != NULL);
		assert(linktable_accept(&table, status, &message, &change) == 0);
		/* The last change must lead to the state in the message. */
		uint32_t more =
			message.is_up ? change.ups - change.downs : change.downs - change.ups;
		assert(more <= 1);
	}
	for (size_t i = 1; i < table.count; i++)
		assert(table.entries[i - 1].index < table.entries[i].index);
	linktable_end_list(&table);
	linktable_fini(&table);
}

static void
check_uevent(const char *bytes, size_t length)
{
	struct ueventmessage message;
	ueventmessage_parse(bytes, length, &message);
	if (message.about == UEVENTMESSAGE_OTHER)
		return;
	assert(message.event != NULL || message.about == UEVENTMESSAGE_VERBS);
	assert(message.about != UEVENTMESSAGE_VERBS || message.is_added != message.is_removed);
	if (message.about == UEVENTMESSAGE_VERBS)
		return;
	struct notice notice = {.event = message.event, .count = 1};
	strcpy(notice.device, message.name);
	merge(&notice);
}

static void
check_trace(const char *bytes, size_t length)
{
	struct notice notice;
	struct traceline_ends ends;
	char *line = strndup(bytes, length);
	assert(line != NULL);
	enum traceline_status status = traceline_parse(line, &notice, &ends);
	if (status == TRACELINE_NOTICE || status == TRACELINE_OF_DEVICE)
		merge(&notice);
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (*data == 'l')
		check_links(data + 1, size - 1);
	else if (*data == 'u')
		check_uevent((const char *)data + 1, size - 1);
	else
		check_trace((const char *)data + 1, size - 1);
	return 0;
}
