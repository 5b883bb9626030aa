/* mark - records that tell how far a stream has been written. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "mark.h"

#include "rec.h"

#include <string.h>

bool
mark_read(const json_t *record, struct mark *out)
{
	return strcmp(rec_kind(record), "mark") == 0 &&
	       rec_get_string(record, "source", &out->source) == REC_OK && *out->source != '\0' &&
	       strlen(out->source) <= MARK_SOURCE_MAX &&
	       rec_get_u64(record, "after", &out->after) == REC_OK &&
	       rec_get_u64(record, "seq", &out->seq) == REC_OK && out->after <= out->seq &&
	       out->seq <= INT64_MAX;
}

json_t *
mark_new(const char *source, uint64_t after, uint64_t seq)
{
	return json_pack("{s:s, s:i, s:s, s:I, s:I}", "kind", "mark", "v", 1, "source", source,
		"after", (json_int_t)after, "seq", (json_int_t)seq);
}

int
mark_join(json_t *marks, const struct mark *mark)
{
	struct mark first;
	uint64_t after = mark->after;
	const json_t *known = json_object_get(marks, mark->source);
	if (known != NULL && mark_read(known, &first) && after >= first.after && after <= first.seq)
		after = first.after;
	return json_object_set_new(marks, mark->source, mark_new(mark->source, after, mark->seq));
}
