/* cmrec - checks and decodes ibevent's records of RDMA connection manager events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cmrec.h"

#include "array.h"

#include <stddef.h>
#include <string.h>

#define AT(member) .target = offsetof(struct cmrec, member)

bool
cmrec_is(const json_t *record)
{
	return strcmp(rec_kind(record), "cm") == 0;
}

bool
cmrec_decode(const json_t *record, struct cmrec *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"device", REC_STRING, AT(device)},
		{"cause", REC_STRING, AT(cause), .required = true},
		{"peers", REC_INTEGER, AT(peers)},
		{"boottime_ns", REC_BOOTTIME, AT(boottime_ns), .required = true},
	};
	if (!rec_decode(record, fields, ARRAY_COUNT(fields), out, error))
		return false;
	if (out->peers < 0) {
		rec_refuse(error, "\"peers\" is out of range");
		return false;
	}
	return true;
}
