/* Unit tests of ctreval's port: events for a port's state (spec#port-health). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/port.h"

#include "check.h"

static const char *const states[] = {
	"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER", "", "7"};
static const char *const phys_states[] = {"Sleep", "Polling", "Disabled",
	"PortConfigurationTraining", "LinkUp", "LinkErrorRecovery", "Phy Test", "", "<unknown>"};

/* The truth tables: rows are states, columns physical states, in the order above. H healthy, T
 * transient, D degraded, F fatal. */
static const char *const infiniband_table[] = {
	"DDFDDDDDD", /* NOP */
	"FDFDFDFFF", /* DOWN */
	"DDFDDDDDD", /* INIT */
	"DDFDDDDDD", /* ARMED */
	"DDFDHDDDD", /* ACTIVE */
	"DDFDDDDDD", /* ACTIVE_DEFER */
	"DDFDDDDDD", /* without a name */
	"DDFDDDDDD", /* some other text */
};
static const char *const ethernet_table[] = {
	"TTTTTTTTT",
	"FFFFFFFFF",
	"TTTTTTTTT",
	"TTTTTTTTT",
	"TTTTHTTTT",
	"TTTTTTTTT",
	"TTTTTTTTT",
	"TTTTTTTTT",
};

static const char letters[] = {[SIGHT_HEALTHY] = 'H',
	[SIGHT_TRANSIENT] = 'T',
	[SIGHT_DEGRADED] = 'D',
	[SIGHT_FATAL] = 'F'};

static void
check_table(enum layer layer, const char *const *table)
{
	for (size_t s = 0; s < CHECK_COUNT(states); s++) {
		for (size_t p = 0; p < CHECK_COUNT(phys_states); p++) {
			char seen[] = {letters[sight_eval(layer, states[s], phys_states[p])], 0};
			char expected[] = {table[s][p], 0};
			check_row("%s and %s", states[s], phys_states[p]);
			CHECK_STR(seen, expected);
		}
	}
}

static void
infiniband(void)
{
	check_table(LAYER_INFINIBAND, infiniband_table);
}

static void
ethernet(void)
{
	check_table(LAYER_ETHERNET, ethernet_table);
}

struct cell {
	enum port_memory memory;
	enum port_sight sight;
	enum port_memory next;
	enum port_action action;
};

static const struct cell cells[] = {
	/* First sight: a healthy port gives no event; an unhealthy one is only noted without peer
	 * evidence. */
	{PORT_NEW, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_NOTHING},
	{PORT_NEW, SIGHT_TRANSIENT, PORT_NEW, PORT_REPORT_NOTHING},
	{PORT_NEW, SIGHT_DEGRADED, PORT_DEGRADED_MUTE, PORT_NOTE_MUTED},
	{PORT_NEW, SIGHT_FATAL, PORT_FATAL_MUTE, PORT_NOTE_MUTED},
	/* With peer evidence, or pinned by the configuration, it is an event. */
	{PORT_NEW_SUSPECT, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_NOTHING},
	{PORT_NEW_SUSPECT, SIGHT_TRANSIENT, PORT_NEW, PORT_REPORT_NOTHING},
	{PORT_NEW_SUSPECT, SIGHT_DEGRADED, PORT_DEGRADED, PORT_REPORT_DEGRADED},
	{PORT_NEW_SUSPECT, SIGHT_FATAL, PORT_FATAL, PORT_REPORT_FATAL},
	/* From healthy every change is reported. */
	{PORT_HEALTHY, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_NOTHING},
	{PORT_HEALTHY, SIGHT_TRANSIENT, PORT_HEALTHY, PORT_REPORT_NOTHING},
	{PORT_HEALTHY, SIGHT_DEGRADED, PORT_DEGRADED, PORT_REPORT_DEGRADED},
	{PORT_HEALTHY, SIGHT_FATAL, PORT_FATAL, PORT_REPORT_FATAL},
	/* From non-fatal to fatal is reported, repetition is not. */
	{PORT_DEGRADED, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_HEALTHY},
	{PORT_DEGRADED, SIGHT_TRANSIENT, PORT_DEGRADED, PORT_REPORT_NOTHING},
	{PORT_DEGRADED, SIGHT_DEGRADED, PORT_DEGRADED, PORT_REPORT_NOTHING},
	{PORT_DEGRADED, SIGHT_FATAL, PORT_FATAL, PORT_REPORT_FATAL},
	/* Fatal stands until healthy. */
	{PORT_FATAL, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_HEALTHY},
	{PORT_FATAL, SIGHT_TRANSIENT, PORT_FATAL, PORT_REPORT_NOTHING},
	{PORT_FATAL, SIGHT_DEGRADED, PORT_FATAL, PORT_REPORT_NOTHING},
	{PORT_FATAL, SIGHT_FATAL, PORT_FATAL, PORT_REPORT_NOTHING},
	/* A port that was only noted still reports its recovery, and the step from non-fatal to
	 * fatal. */
	{PORT_DEGRADED_MUTE, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_HEALTHY},
	{PORT_DEGRADED_MUTE, SIGHT_TRANSIENT, PORT_DEGRADED_MUTE, PORT_REPORT_NOTHING},
	{PORT_DEGRADED_MUTE, SIGHT_DEGRADED, PORT_DEGRADED_MUTE, PORT_REPORT_NOTHING},
	{PORT_DEGRADED_MUTE, SIGHT_FATAL, PORT_FATAL, PORT_REPORT_FATAL},
	{PORT_FATAL_MUTE, SIGHT_HEALTHY, PORT_HEALTHY, PORT_REPORT_HEALTHY},
	{PORT_FATAL_MUTE, SIGHT_TRANSIENT, PORT_FATAL_MUTE, PORT_REPORT_NOTHING},
	{PORT_FATAL_MUTE, SIGHT_DEGRADED, PORT_FATAL_MUTE, PORT_REPORT_NOTHING},
	{PORT_FATAL_MUTE, SIGHT_FATAL, PORT_FATAL_MUTE, PORT_REPORT_NOTHING},
};

static void
every_cell(void)
{
	bool visited[PORT_MEMORY_N][SIGHT_N] = {{false}};
	for (size_t i = 0; i < CHECK_COUNT(cells); i++) {
		enum port_memory memory = cells[i].memory;
		check_row("memory %d, sight %d", cells[i].memory, cells[i].sight);
		CHECK_INT(port_step(&memory, cells[i].sight), cells[i].action);
		CHECK_INT(memory, cells[i].next);
		CHECK(!visited[cells[i].memory][cells[i].sight]);
		visited[cells[i].memory][cells[i].sight] = true;
	}
	for (int m = 0; m < PORT_MEMORY_N; m++) {
		for (int s = 0; s < SIGHT_N; s++) {
			check_row("memory %d, sight %d", m, s);
			CHECK(visited[m][s]);
		}
	}
}

static void
lost(void)
{
	static const enum port_memory next[PORT_MEMORY_N] = {
		[PORT_NEW] = PORT_NEW,
		[PORT_NEW_SUSPECT] = PORT_FATAL,
		[PORT_HEALTHY] = PORT_FATAL,
		[PORT_DEGRADED] = PORT_FATAL,
		[PORT_FATAL] = PORT_FATAL,
		[PORT_DEGRADED_MUTE] = PORT_DEGRADED_MUTE,
		[PORT_FATAL_MUTE] = PORT_FATAL_MUTE,
	};
	for (int m = 0; m < PORT_MEMORY_N; m++) {
		enum port_memory memory = (enum port_memory)m;
		check_row("memory %d", m);
		CHECK_INT(port_lost(memory), next[m]);
		CHECK_INT(port_is_dark(memory), next[m] != PORT_FATAL);
	}
}

static void
flapping(void)
{
	/* A cable that makes the port alternate between Disabled and Polling is one event. */
	static const char *const phys[] = {
		"Disabled", "Polling", "Disabled", "Polling", "Disabled"};
	enum port_memory memory = PORT_HEALTHY;
	int told = 0;
	for (size_t i = 0; i < CHECK_COUNT(phys); i++)
		told += port_step(&memory, sight_eval(LAYER_INFINIBAND, "DOWN", phys[i])) !=
			PORT_REPORT_NOTHING;
	CHECK_INT(told, 1);
	CHECK_INT(port_step(&memory, sight_eval(LAYER_INFINIBAND, "ACTIVE", "LinkUp")),
		PORT_REPORT_HEALTHY);
	CHECK_INT(port_step(&memory, sight_eval(LAYER_INFINIBAND, "ACTIVE", "LinkUp")),
		PORT_REPORT_NOTHING);
}

static void
healthy_is_said_once(void)
{
	/* From any memory: after a healthy sight the port is healthy, and a second one gives no
	 * event. */
	for (int m = 0; m < PORT_MEMORY_N; m++) {
		enum port_memory memory = (enum port_memory)m;
		check_row("memory %d", m);
		port_step(&memory, SIGHT_HEALTHY);
		CHECK_INT(memory, PORT_HEALTHY);
		CHECK_INT(port_step(&memory, SIGHT_HEALTHY), PORT_REPORT_NOTHING);
	}
}

static void
names(void)
{
	static const char *const expected[PORT_MEMORY_N] = {
		"new", "suspect", "healthy", "degraded", "fatal", "degraded_muted", "fatal_muted"};
	static const char *const others[] = {"", "New", "fatal ", "muted", "healthy,", "0"};
	for (enum port_memory memory = 0; memory < PORT_MEMORY_N; memory++) {
		const char *name = port_memory_name(memory);
		CHECK_STR(name, expected[memory]);
		if (name != NULL)
			CHECK_INT(port_memory_find(name), memory);
	}
	for (size_t i = 0; i < CHECK_COUNT(others); i++) {
		check_row("%s", others[i]);
		CHECK_INT(port_memory_find(others[i]), PORT_MEMORY_N);
	}
}

static void
reported(void)
{
	for (enum port_memory memory = 0; memory < PORT_MEMORY_N; memory++) {
		check_row("%s", port_memory_name(memory));
		CHECK_INT(
			port_is_reported(memory), memory == PORT_DEGRADED || memory == PORT_FATAL);
	}
}

static const struct check_test tests[] = {
	{"InfiniBand: DOWN or Disabled is fatal unless the link is training or recovering",
		infiniband},
	{"Ethernet: only DOWN is fatal, and any state other than DOWN or healthy is transient",
		ethernet},
	{"every cell of the table gives the right action and memory", every_cell},
	{"a port that is gone is fatal, unless it was dark", lost},
	{"a flapping port is one event until it is healthy", flapping},
	{"a recovery is reported once", healthy_is_said_once},
	{"every memory has its own name, which finds it again", names},
	{"only a reported state stands", reported},
};
CHECK_MAIN(tests)
