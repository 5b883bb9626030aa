/* nics - makes scans for unit tests from NICs described in a line each. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICS_H
#define NICS_H

#include "../../lib/scan.h"
#include "check.h"

#include <stdio.h>

/* A device with one port. A NULL member has the value of a healthy InfiniBand port of a
 * ConnectX-7. */
struct nic {
	const char *device;
	const char *pci; /* NULL: unknown */
	const char
		*role; /* NULL: not annotated; "none": annotated as without a role, not monitored */
	const char *link_layer, *state, *phys_state, *rate, *model;
	const char *more_device, *more_port; /* further JSON fields, `,'vf':true` */
	bool lost_device, lost_port;         /* the record was lost */
};

static inline void
nics_take(struct scan *scan, json_t *json)
{
	struct rec_error error = {0};
	enum scanrec_kind kind = scanrec_kind(json);
	enum scan_status status = scan_accept(scan, kind, json, &error);
	if (!CHECK(status == SCAN_ACCEPTED || status == SCAN_FINISHED))
		CHECK_STR(error.reason, "");
}

static inline const char *
nics_or(const char *text, const char *otherwise)
{
	return text != NULL ? text : otherwise;
}

/* `,'key':'value'`, or nothing for NULL */
static inline const char *
nics_field(char *text, size_t size, const char *key, const char *value)
{
	*text = '\0';
	if (value != NULL)
		snprintf(text, size, ",'%s':'%s'", key, value);
	return text;
}

static inline void
nics_add(struct scan *scan, const struct nic *nic)
{
	static char text[4096];
	char pci[80], role[160] = "";
	bool none = nic->role != NULL && strcmp(nic->role, "none") == 0;

	if (none)
		snprintf(role, sizeof role, ",'role':null,'reason':'excluded','monitored':false");
	else if (nic->role != NULL)
		snprintf(role, sizeof role, ",'role':'%s','reason':'x','monitored':%s", nic->role,
			strcmp(nic->role, "management") == 0 ? "false" : "true");
	if (!nic->lost_device) {
		snprintf(text, sizeof text,
			"{'kind':'device','scan':1,'device':'%s','ports':1,'hca_type':'%s'%s%s%s}",
			nic->device, nics_or(nic->model, "MT4129"),
			nics_field(pci, sizeof pci, "pci", nic->pci), role,
			nics_or(nic->more_device, ""));
		nics_take(scan, check_json_new(text));
	}
	if (nic->lost_port)
		return;
	const char *rate = nics_or(nic->rate, "400 Gb/sec (4X NDR)");
	snprintf(text, sizeof text,
		"{'kind':'port','scan':1,'ts':'t','boottime_ns':1,'device':'%s','port':1,"
		"'link_layer':'%s','state':'%s','phys_state':'%s','rate':'%s','rate_gbps':%d%s%s}",
		nic->device, nics_or(nic->link_layer, "InfiniBand"), nics_or(nic->state, "ACTIVE"),
		nics_or(nic->phys_state, "LinkUp"), rate, atoi(rate), role,
		nics_or(nic->more_port, ""));
	nics_take(scan, check_json_new(text));
}

static inline void
nics_begin(struct scan *scan)
{
	nics_take(scan, check_json_new("{'kind':'scan.begin','v':1,'scan':1,'node':'gpu-42',"
				       "'ts':'2026-01-02T03:04:05.678901Z','boottime_ns':1}"));
}

/* `more`: further fields of scan.end; "" for none */
static inline void
nics_end(struct scan *scan, const char *more)
{
	char text[512];
	snprintf(text, sizeof text,
		"{'kind':'scan.end','scan':1,'devices':%zu,'ports':%zu,'complete':true%s}",
		scan->device_count, scan->port_count, more);
	nics_take(scan, check_json_new(text));
}

/* Make a whole scan; free it with scan_fini(). */
static inline void
nics_scan(struct scan *scan, const struct nic *nics, size_t count)
{
	nics_begin(scan);
	for (size_t i = 0; i < count; i++)
		nics_add(scan, &nics[i]);
	nics_end(scan, "");
}

#endif
