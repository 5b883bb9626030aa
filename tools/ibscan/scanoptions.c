/* scanoptions - options for scans that ibscan and nicview share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanoptions.h"

#include "num.h"
#include "rec.h"

#include <string.h>

static const char *
parse_regex(const char *value, struct rx **out)
{
	static struct rx_error error;
	rx_free(*out);
	*out = rx_new(value, strlen(value), &error);
	return *out != NULL ? NULL : error.reason;
}

static const char *
accept_include(void *target, const struct opt_given *given)
{
	struct scanoptions *options = target;
	return parse_regex(given->value, &options->config.include);
}

static const char *
accept_exclude(void *target, const struct opt_given *given)
{
	struct scanoptions *options = target;
	return parse_regex(given->value, &options->config.exclude);
}

static const struct opt_limits day = {1, 86400 * NUM_NS_PER_S,
	.malformed = "not a duration such as 250ms, 1s or 5m", .below = "must be more than 0",
	.above = "more than a day"};
/* An unset Kubernetes field arrives as an empty name. */
static const struct opt_limits node_name = {
	0, REC_NODE_MAX_BYTES, .malformed = "not a valid node name"};
static const struct opt_limits scans = {1, UINT64_MAX, .malformed = "not a number of scans"};

#define BOTH (SCANOPTIONS_OF_SCANS | SCANOPTIONS_PASSED_ON)

const struct opt_spec scanoptions_table[SCANOPTIONS_N] = {
	{"sysfs-root", "DIR", "read below DIR instead of /sys",
		OPT_TEXT(struct scanoptions, sysfs_root), .scope = BOTH},
	{"interval", "DURATION", "scan every DURATION (250ms, 1s, 5m) until stopped",
		OPT_DURATION(struct scanoptions, interval_ns, &day), .scope = BOTH},
	{"count", "N", "end after N scans", OPT_NUMBER(struct scanoptions, count, &scans),
		.scope = BOTH},
	{"counters", "WHICH",
		"all (default), none, configured, or names: link_downed,hw_counters/x",
		OPT_TEXT(struct scanoptions, counters), .scope = BOTH},
	{"config", "FILE", "read the counters that FILE enables (implies --counters configured)",
		OPT_TEXT(struct scanoptions, config_path), .scope = BOTH},
	{"include", "REGEX", "only devices whose name matches", OPT_OTHER(accept_include),
		.scope = BOTH},
	{"exclude", "REGEX", "no devices whose name matches", OPT_OTHER(accept_exclude),
		.scope = BOTH},
	{"device-timeout", "DURATION",
		"report a device that has not answered after DURATION as timeout (2s)",
		OPT_DURATION(struct scanoptions, device_timeout_ns, &day), .scope = BOTH},
	{"vf-counters", NULL, "read the counters of virtual functions too",
		OPT_FLAG(struct scanoptions, config.vf_counters), .scope = BOTH},
	{"node", "NAME", "node name ($NODE_NAME, else the host name)",
		OPT_TEXT_WITHIN(struct scanoptions, node, &node_name), .scope = BOTH},
	{"boot-id-file", "FILE", "take the boot id from FILE (/proc/sys/kernel/random/boot_id)",
		OPT_TEXT(struct scanoptions, boot_id_path), .scope = BOTH},
};
