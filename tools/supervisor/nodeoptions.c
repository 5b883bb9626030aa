/* nodeoptions - the options that nic-health-monitor and niccheck(1) share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "nodeoptions.h"

#include "diag.h"
#include "host.h"

static const char *
accept_checks(void *target, const struct opt_given *given)
{
	struct service_options *service = target;
	service->checks = service->named_checks.wanted;
	return checklist_parse(&service->named_checks, given->value);
}

/* The aliases are NVSentinel's names, and earlier names of ours in the same style. */
const struct opt_spec nodeoptions[NODEOPTIONS_N] = {
	{"sysfs-root", "DIR", "read below DIR instead of /sys",
		OPT_TEXT(struct service_options, sysfs_root)},
	{"metadata", "FILE",
		"GPU metadata, or auto:FILE, else the PCI bus "
		"(auto:/var/lib/nvsentinel/gpu_metadata.json)",
		OPT_TEXT(struct service_options, metadata_path), .alias = "metadata-path"},
	{"route", "FILE", "IPv4 routes (/proc/1/net/route)",
		OPT_TEXT(struct service_options, route_path), .alias = "route-path"},
	{"route6", "FILE", "IPv6 routes (/proc/1/net/ipv6_route)",
		OPT_TEXT(struct service_options, route6_path), .alias = "route6-path"},
	{"boot-id-file", "FILE", "take the boot id from FILE (/proc/sys/kernel/random/boot_id)",
		OPT_TEXT(struct service_options, boot_id_path), .alias = "boot-id-path"},
	{"node", "NAME", "node name ($NODE_NAME, else the host name)",
		OPT_TEXT_WITHIN(struct service_options, node_name, &host_name_limits),
		.alias = "node-name"},
	{"config", "FILE", "configuration for all stages (/etc/nic-health-monitor/config.yaml)",
		OPT_TEXT(struct service_options, config_path)},
	{"checks", "LIST", "run only these checks, see ctreval(1)", OPT_OTHER(accept_checks)},
	{"strategy", "WORD",
		"processingStrategy of the events: EXECUTE_REMEDIATION (default), STORE_ONLY, "
		"STORE_AND_ANALYSE",
		OPT_TEXT(struct service_options, strategy), .alias = "processing-strategy"},
	{CONFINE_OPTION(struct service_options, confine)},
};

int
nodeoptions_check_name(const struct service_options *service)
{
	return service->node_name != NULL ? 0 : host_check_node_name(host_node_name());
}

void
nodeoptions_warn(const struct service_options *service)
{
	const struct checklist *checks = &service->named_checks;
	const char *rest = checks->unknown, *unknown;
	struct words words;
	while ((unknown = checklist_next_unknown(&rest, &words)) != NULL)
		diag_warn("--checks: skipped: %s", unknown);
}
