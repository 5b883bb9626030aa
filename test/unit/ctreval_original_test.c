/* Unit tests of ctreval's original: converting a state file of the original program. Whole files
 * are in test/original. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/state/original.h"

#include "check.h"

#include <stdlib.h>

/* Convert a text with ' for ". Return NULL with `*error` on failure. */
static json_t *
convert_new(const char *text, char **left_out, struct rec_error *error)
{
	json_t *theirs = check_json_new(text);
	json_t *ours = original_ours_new(theirs, left_out, error);
	json_decref(theirs);
	return ours;
}

/* Check that a section of the converted file is this, and that only `left_out` is left out. */
static void
check_section(const char *theirs, const char *name, const char *section, const char *left_out)
{
	struct rec_error error = {.reason = ""};
	char *left = NULL;
	json_t *ours = convert_new(theirs, &left, &error);
	char *got = json_dumps(
		json_object_get(ours, name), JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	json_t *wanted_json = check_json_new(section);
	char *wanted = json_dumps(wanted_json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	check_row("%s", theirs);
	CHECK_STR(error.reason, "");
	CHECK_STR(got, wanted);
	CHECK_STR(left, left_out);
	free(got);
	free(wanted);
	free(left);
	json_decref(wanted_json);
	json_decref(ours);
}

#define V "'version':2,"

static void
versions(void)
{
	static const struct {
		const char *text;
		bool is_original;
	} rows[] = {{"{'version':2}", true}, {"{'version':2.0}", true}, {"{'version':1}", false},
		{"{'version':3}", false}, {"{'version':'2'}", false}, {"{}", false}, {"[2]", false},
		{"2", false}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *root = check_json_new(rows[i].text);
		check_row("%s", rows[i].text);
		CHECK_INT(original_is(root), rows[i].is_original);
		json_decref(root);
	}
}

static void
nothing(void)
{
	/* The original omits empty sections. */
	check_section("{" V "'boot_id':'b'}", "version", "1", NULL);
	check_section("{" V "'boot_id':'b'}", "boot_id", "'b'", NULL);
	check_section("{" V "'scope':'incl=;excl=^lo$'}", "scope", "'incl=;excl=^lo$'", NULL);
	check_section("{" V "'boot_id':'b'}", "port_states", "{}", NULL);
	check_section("{" V "'breach_flags':null,'known_devices':null,'pending_baselines':null}",
		"breach_flags", "{}", NULL);
}

static void
ports(void)
{
	check_section("{" V
		      "'port_states':{'mlx5_0_1':{'device':'mlx5_0','port':1,'state':'ACTIVE',"
		      "'physical_state':'LinkUp','link_layer':'InfiniBand'}}}",
		"port_states",
		"{'mlx5_0_1':{'device':'mlx5_0','port':1,'state':'ACTIVE','physical_state':'LinkUp'"
		",'link_layer':'InfiniBand'}}",
		NULL);
	/* A member that only this program writes must not get in. */
	check_section("{" V "'port_states':{'a_1':{'device':'a','port':1,'health':'healthy',"
		      "'said':null,'card':'c','known':false}}}",
		"port_states", "{'a_1':{'device':'a','port':1}}", NULL);
	/* A port of an unknown link layer is left out unless its state is known to be bad. */
	check_section(
		"{" V "'port_states':{'r_1':{'device':'r','port':1,'state':'ACTIVE',"
		"'physical_state':'LinkUp','link_layer':'iWARP'},'s_1':{'device':'s','port':1,"
		"'state':'DOWN','physical_state':'LinkDown','link_layer':'iWARP'}}}",
		"port_states", "{}", "iWARPStateCheck s_1");
}

static void
gone_ports(void)
{
	static const char theirs[] =
		"{" V "'disappeared_ports':{'Ethernet/m_0_2':{'device':'m_0','port':2,"
		"'link_layer':'Ethernet','observed_this_boot':true}}}";
	check_section(theirs, "disappeared_ports", "[{'device':'m_0','port':2}]", NULL);
	check_section(theirs, "port_states",
		"{'m_0_2':{'device':'m_0','port':2,'link_layer':'Ethernet','health':'fatal',"
		"'known':false,'said':null}}",
		NULL);
	/* It is back, and is unhealthy. */
	check_section("{" V "'port_states':{'m_1':{'device':'m','port':1,'state':'DOWN',"
		      "'physical_state':'Polling','link_layer':'InfiniBand'}},"
		      "'disappeared_ports':{'InfiniBand/m_1':{'device':'m','port':1,"
		      "'link_layer':'InfiniBand'}}}",
		"port_states",
		"{'m_1':{'device':'m','port':1,'state':'DOWN','physical_state':'Polling',"
		"'link_layer':'InfiniBand'}}",
		NULL);
	check_section("{" V "'disappeared_ports':{'iWARP/r_1':{'device':'r','port':1,"
		      "'link_layer':'iWARP'}}}",
		"disappeared_ports", "[]", "iWARPStateCheck r port 1");
}

static void
devices(void)
{
	static const char gone[] =
		"{" V "'disappeared_devices':{'Ethernet/m':{'device':'m','link_layer':'Ethernet'},"
		"'InfiniBand/m':{'device':'m','link_layer':'InfiniBand','observed_this_boot':true},"
		"'iWARP/r':{'device':'r','link_layer':'iWARP'}}}";
	check_section(
		gone, "disappeared_devices", "['m']", "InfiniBandStateCheck m, iWARPStateCheck r");
	check_section(gone, "devices", "{'m':{'link_layer':'Ethernet'}}",
		"InfiniBandStateCheck m, iWARPStateCheck r");
	/* A device that only has ports of an unknown link layer is not watched, and so never
	 * missing. */
	check_section("{" V "'known_devices':['m','r','x'],'port_states':{"
		      "'m_1':{'device':'m','port':1,'link_layer':'Ethernet'},"
		      "'r_1':{'device':'r','port':1,'link_layer':'iWARP','state':'ACTIVE',"
		      "'physical_state':'LinkUp'}}}",
		"known_devices", "['m','x']", NULL);
	check_section("{" V
		      "'device_miss_counts':{'Ethernet/m':{'device':'m','link_layer':'Ethernet',"
		      "'count':2},'iWARP/r':{'device':'r','link_layer':'iWARP','count':1}}}",
		"miss_counts", "[{'device':'m','missing':2}]", NULL);
}

static void
cards(void)
{
	check_section("{" V "'anomalous_cards':{'Ethernet/0000:47:00':{'card':'0000:47:00',"
		      "'link_layer':'Ethernet'},'InfiniBand/0000:47:00':{'card':'0000:47:00',"
		      "'link_layer':'InfiniBand'},'iWARP/0000:9f:00':{'card':'0000:9f:00',"
		      "'link_layer':'iWARP'}}}",
		"anomalous_cards",
		"[{'card':'0000:47:00','link_layer':'Ethernet','reported':true},"
		"{'card':'0000:47:00','link_layer':'InfiniBand','reported':true}]",
		"iWARPStateCheck 0000:9f:00");
}

static void
counters(void)
{
	check_section("{" V "'counter_snapshots':{'m:1:link_downed':{'value':7,"
		      "'timestamp':'2026-01-02T03:04:05.123456789Z'},"
		      "'m:1:x':{'value':8,'timestamp':'0001-01-01T00:00:00Z'}}}",
		"counter_snapshots",
		"{'m:1:link_downed':{'value':7,'timestamp':'2026-01-02T03:04:05.123456789Z'},"
		"'m:1:x':{'value':8,'timestamp':'0001-01-01T00:00:00Z','boottime_ns':0}}",
		NULL);
	check_section("{" V "'breach_flags':{'m:1:link_downed':{'breached':true,'check_name':"
		      "'EthernetDegradationCheck','is_fatal':true,'since':'S','device':'m',"
		      "'port':'1'}}}",
		"breach_flags",
		"{'m:1:link_downed':{'breached':true,'check_name':'EthernetDegradationCheck',"
		"'is_fatal':true,'since':'S','uncoded':true}}",
		NULL);
	check_section("{" V "'breach_flags':{'rdmap0:1:x':{'breached':true,"
		      "'check_name':'iWARPDegradationCheck'},'rdmap0:1:other':{'breached':false,"
		      "'check_name':'iWARPDegradationCheck'}}}",
		"breach_flags",
		"{'rdmap0:1:other':{'breached':false,'check_name':'iWARPDegradationCheck',"
		"'uncoded':true}}",
		"iWARPDegradationCheck rdmap0:1:x");
}

static void
interfaces(void)
{
	/* A breach that names its device. */
	static const char known[] =
		"{" V
		"'counter_snapshots':{'net:eth0:carrier_changes':{'value':3,'timestamp':'T'}},"
		"'breach_flags':{'net:eth0:carrier_changes':{'breached':true,'device':'m',"
		"'port':'2'}}}";
	check_section(known, "counter_snapshots",
		"{'m:2:carrier_changes':{'value':3,'timestamp':'T'}}", NULL);
	check_section(known, "breach_flags",
		"{'m:2:carrier_changes':{'breached':true,'uncoded':true}}", NULL);
	check_section(known, "unplaced_counters", "[]", NULL);
	/* A breach that does not. */
	check_section("{" V
		      "'counter_snapshots':{'net:eth0:carrier_changes':{'value':3,'timestamp':'T'},"
		      "'net:a:b:c':{'value':4}},"
		      "'breach_flags':{'net:eth0:carrier_changes':{'breached':true,'device':'m',"
		      "'port':'x'}}}",
		"unplaced_counters",
		"[{'interface':'eth0','counter':'carrier_changes',"
		"'snapshot':{'value':3,'timestamp':'T'},'flag':{'breached':true,'uncoded':true}},"
		"{'interface':'a:b','counter':'c','snapshot':{'value':4}}]",
		NULL);
	/* Not every key with this prefix belongs to an interface. */
	check_section("{" V "'counter_snapshots':{'net:x':{'value':3}}}", "counter_snapshots",
		"{'net:x':{'value':3}}", NULL);
}

static void
efa(void)
{
	static const char theirs[] =
		"{" V "'port_states':{'r_1':{'device':'r','port':1,'state':'DOWN',"
		"'physical_state':'LinkDown','link_layer':'EFA'}},'known_devices':['r'],"
		"'disappeared_devices':{'EFA/g':{'device':'g','link_layer':'EFA'}},"
		"'device_miss_counts':{'EFA/r':{'device':'r','link_layer':'EFA','count':1}},"
		"'anomalous_cards':{'EFA/0000:9f:00':{'card':'0000:9f:00','link_layer':'EFA'}},"
		"'breach_flags':{'r:1:efa_rx_drops':{'breached':true,"
		"'check_name':'EFADegradationCheck'}}}";
	check_section(theirs, "port_states",
		"{'r_1':{'device':'r','port':1,'state':'DOWN','physical_state':'LinkDown',"
		"'link_layer':'EFA'}}",
		NULL);
	check_section(theirs, "known_devices", "['r']", NULL);
	check_section(theirs, "devices", "{'g':{'link_layer':'EFA'}}", NULL);
	check_section(theirs, "disappeared_devices", "['g']", NULL);
	check_section(theirs, "miss_counts", "[{'device':'r','missing':1}]", NULL);
	check_section(theirs, "anomalous_cards",
		"[{'card':'0000:9f:00','link_layer':'EFA','reported':true}]", NULL);
	check_section(theirs, "breach_flags",
		"{'r:1:efa_rx_drops':{'breached':true,'check_name':'EFADegradationCheck',"
		"'uncoded':true}}",
		NULL);
}

static void
owed(void)
{
	check_section("{" V "'pending_baselines':{'EthernetStateCheck':true,"
		      "'InfiniBandStateCheck':false,'iWARPStateCheck':true,'EFAStateCheck':true}}",
		"clear_owed", "['EthernetStateCheck','EFAStateCheck']", NULL);
}

static void
char_devices(void)
{
	static const char known[] =
		"{" V "'missing_char_devices':{'umad/m_1':{'kind':'umad','device':'m',"
		"'port':1},'uverbs/m_0':{'kind':'uverbs','device':'m'}},"
		"'chardev_issm_mode':'always'}";
	check_section(known, "missing_char_devices",
		"{'umad/m_1':{'kind':'umad','device':'m','port':1,"
		"'said':{'fatal':true,'code':'umad'}},"
		"'uverbs/m_0':{'kind':'uverbs','device':'m','port':0,"
		"'said':{'fatal':true,'code':'uverbs'}}}",
		NULL);
	check_section(known, "chardev_issm_mode", "'always'", NULL);
	check_row("a kind of a later version");
	check_section("{" V "'missing_char_devices':{'x/m_1':{'kind':'x','device':'m','port':1}}}",
		"missing_char_devices", "{}", "InfiniBandCharDeviceCheck x of m port 1");
	check_row("the check's baseline is still owed");
	check_section("{" V "'pending_baselines':{'InfiniBandCharDeviceCheck':true}}",
		"baseline_owed_checks", "['InfiniBandCharDeviceCheck']", NULL);
}

static void
refused(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"{" V "'port_states':[]}", "\"port_states\" has the wrong type"},
		{"{" V "'port_states':'x'}", "\"port_states\" has the wrong type"},
		{"{" V "'port_states':{'m_1':7}}", "\"port_states\": \"m_1\" is not an object"},
		{"{" V "'known_devices':{}}", "\"known_devices\" has the wrong type"},
		{"{" V "'known_devices':[{}]}", "\"known_devices\" is not a list of names"},
		{"{" V "'anomalous_cards':[]}", "\"anomalous_cards\" has the wrong type"},
		{"{" V "'anomalous_cards':{'x':null}}",
			"\"anomalous_cards\": \"x\" is not an object"},
		{"{" V "'anomalous_cards':{'x':{}}}", "anomalous card \"x\" has no name"},
		{"{" V "'anomalous_cards':{'x':{'card':7}}}", "anomalous card \"x\" has no name"},
		{"{" V "'disappeared_devices':['m']}",
			"\"disappeared_devices\" has the wrong type"},
		{"{" V "'disappeared_devices':{'x':{'link_layer':'Ethernet'}}}",
			"disappeared device \"x\" has no name"},
		{"{" V "'disappeared_ports':[]}", "\"disappeared_ports\" has the wrong type"},
		{"{" V "'disappeared_ports':{'x':{'device':'m'}}}",
			"disappeared port \"x\" has no device and port"},
		{"{" V "'disappeared_ports':{'x':{'device':'m','port':-1}}}",
			"disappeared port \"x\" has no device and port"},
		{"{" V "'disappeared_ports':{'x':{'port':1}}}",
			"disappeared port \"x\" has no device and port"},
		{"{" V "'device_miss_counts':7}", "\"device_miss_counts\" has the wrong type"},
		{"{" V "'device_miss_counts':{'x':{'count':1}}}", "miss count \"x\" has no device"},
		{"{" V "'missing_char_devices':true}",
			"\"missing_char_devices\" has the wrong type"},
		{"{" V "'missing_char_devices':{'x':{'kind':'umad'}}}",
			"missing character device \"x\" has no device"},
		{"{" V "'counter_snapshots':[]}", "\"counter_snapshots\" has the wrong type"},
		{"{" V "'counter_snapshots':{'m:1:c':3}}",
			"\"counter_snapshots\": \"m:1:c\" is not an object"},
		{"{" V "'breach_flags':''}", "\"breach_flags\" has the wrong type"},
		{"{" V "'breach_flags':{'m:1:c':true}}",
			"\"breach_flags\": \"m:1:c\" is not an object"},
		{"{" V "'pending_baselines':[]}", "\"pending_baselines\" has the wrong type"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = ""};
		char *left_out = NULL;
		check_row("%s", rows[i].text);
		CHECK(convert_new(rows[i].text, &left_out, &error) == NULL);
		CHECK_STR(error.reason, rows[i].reason);
		CHECK_STR(left_out, NULL);
	}
}

static void
scopes(void)
{
	static const struct {
		const char *exclusion, *inclusion, *scope;
	} rows[] = {
		{"", "", "incl=;excl="},
		{"^veth.*, ^lo$", "", "incl=;excl=^veth.*, ^lo$"},
		{" \t^lo$\n", "  ^mlx5_1$ ", "incl=^mlx5_1$;excl=^lo$"},
		{"   ", "\n", "incl=;excl="},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *scope = original_scope_new(rows[i].exclusion, rows[i].inclusion);
		CHECK_STR(scope, rows[i].scope);
		free(scope);
	}
}

static const struct check_test tests[] = {
	{"only version 2 is a file of the original", versions},
	{"a section that a file omits is empty", nothing},
	{"ports keep their states", ports},
	{"a port that is gone counts as reported", gone_ports},
	{"a device is gone under the check that reported it", devices},
	{"a card is anomalous in one link layer or in both", cards},
	{"a breach of the original has no code", counters},
	{"an interface's counter belongs to the port that a breach, or else a scan, names",
		interfaces},
	{"EFA's ports, devices, cards and breaches are converted like those of other link layers",
		efa},
	{"a check with a pending baseline is still owed its clearing event", owed},
	{"missing character devices keep the code under which they were reported", char_devices},
	{"a member that the original does not write is rejected by its name", refused},
	{"the original's scope equals this program's scope for the same settings", scopes},
};
CHECK_MAIN(tests)
