/* asyncrec - checks and decodes ibevent's records of asynchronous events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "asyncrec.h"

#include "array.h"

#include <stddef.h>
#include <string.h>

#define AT(member) .target = offsetof(struct asyncrec, member)

bool
asyncrec_is(const json_t *record)
{
	return strcmp(rec_kind(record), "async") == 0;
}

bool
asyncrec_decode(const json_t *record, struct asyncrec *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"device", REC_STRING, AT(device)},
		{"event", REC_STRING, AT(event), .required = true},
		{"via", REC_STRING, AT(via), .required = true},
		{"port", REC_INTEGER, AT(port)},
		{"count", REC_INTEGER, AT(count), .absent = 1},
		{"pci", REC_STRING, AT(pci)},
		{"removed", REC_BOOL, AT(removed)},
		{"boottime_ns", REC_BOOTTIME, AT(boottime_ns), .required = true},
	};
	if (!rec_decode(record, fields, ARRAY_COUNT(fields), out, error))
		return false;
	if (out->port < 0 || out->count < 1) {
		rec_refuse(error, "\"port\" or \"count\" is out of range");
		return false;
	}
	return true;
}
