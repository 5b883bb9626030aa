/* lnetrec - checks and decodes lnetread's records of LNet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lnetrec.h"

#include "array.h"
#include "words.h"

#include <net/if.h>
#include <stddef.h>

#define AT(member) .target = offsetof(struct lnetrec, member)

#define TIME \
	{ \
		"boottime_ns", REC_BOOTTIME, AT(boottime_ns), .required = true \
	}

enum lnetrec_kind
lnetrec_kind(const json_t *record)
{
	static const char *const names[] = {
		[LNETREC_NI] = "lnet.ni",
		[LNETREC_PEERS] = "lnet.peers",
		[LNETREC_STATS] = "lnet.stats",
		[LNETREC_END] = "lnet.end",
	};
	_Static_assert(ARRAY_COUNT(names) == LNETREC_OTHER, "what is none of them is another");
	return (enum lnetrec_kind)words_find(names, ARRAY_COUNT(names), rec_kind(record));
}

bool
lnetrec_decode(
	const json_t *record, enum lnetrec_kind kind, struct lnetrec *out, struct rec_error *error)
{
	static const struct rec_field ni[] = {
		TIME,
		{"net", REC_STRING, AT(net), .required = true, .max_bytes = LNETREC_NET_MAX_BYTES},
		{"netdev", REC_STRING, AT(netdev), .max_bytes = IFNAMSIZ - 1},
		{"fatal_error", REC_BOOL, AT(fatal_error)},
		{"counters", REC_OBJECT, AT(counters)},
	};
	static const struct rec_field sums[] = {TIME, {"counters", REC_OBJECT, AT(counters)}};
	static const struct rec_field end[] = {
		TIME, {"complete", REC_BOOL, AT(complete), .required = true}};
	static const struct {
		const struct rec_field *fields;
		size_t count;
	} kinds[] = {
		[LNETREC_NI] = {ni, ARRAY_COUNT(ni)},
		[LNETREC_PEERS] = {sums, ARRAY_COUNT(sums)},
		[LNETREC_STATS] = {sums, ARRAY_COUNT(sums)},
		[LNETREC_END] = {end, ARRAY_COUNT(end)},
	};
	*out = (struct lnetrec){.net = NULL};
	return rec_decode(record, kinds[kind].fields, kinds[kind].count, out, error);
}

bool
lnetrec_sum(const json_t *counters, const char *const *names, uint64_t *sum)
{
	uint64_t value, total = 0;
	for (; *names != NULL; names++) {
		if (rec_u64(json_object_get(counters, *names), &value) != REC_OK ||
			__builtin_add_overflow(total, value, &total))
			return false;
	}
	*sum = total;
	return true;
}
