/* Unit tests of emit's conditions: the node's faults with their start and end times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/conditions.h"

#include "../../tools/emit/store/schema.h"
#include "checks.h"
#include "num.h"
#include "spools.h"

#define S NUM_NS_PER_S

/* An event, by default of check "c" about mlx5_0. */
struct said {
	int at_s;
	char severity; /* F, + or -; 0 ends the list */
	const char *code, *about, *check;
};

#define SAID 8

static void
say(struct spool *spool, const struct said *said)
{
	char members[600], codes[200] = "", entities[200] = "";
	const char *device = said->about != NULL ? said->about : "mlx5_0";
	if (*said->code != '\0') {
		char *copy = strdup(said->code);
		size_t used = 0;
		for (char *code = strtok(copy, ","); code != NULL; code = strtok(NULL, ","))
			used += (size_t)snprintf(codes + used, sizeof codes - used, "%s'%s'",
				used > 0 ? "," : "", code);
		free(copy);
	}
	if (*device != '\0')
		snprintf(entities, sizeof entities, "{'entityType':'NIC','entityValue':'%s'}",
			device);
	snprintf(members, sizeof members,
		"'checkName':'%s','nodeName':'n','isFatal':%s,'isHealthy':%s,'errorCode':[%s],'"
		"entitiesImpacted':[%s],'message':'at "
		"%d','generatedTimestamp':'1970-01-01T%02d:%02d:%02dZ'",
		said->check != NULL ? said->check : "c", said->severity == 'F' ? "true" : "false",
		said->severity == '+' ? "true" : "false", codes, entities, said->at_s,
		said->at_s / 3600, said->at_s / 60 % 60, said->at_s % 60);
	spools_add_members(spool, members, 1);
}

/* Each condition as `about/code/severity*times[since-last)closed-by`, in order of their start;
 * times in seconds. */
#define CONDITIONS_SQL \
	"SELECT device || '/' || code || '/' || iif(is_fatal, 'F', '-') || '*' || times || '[' " \
	"|| (since_ns / 1000000000) || '-' ||" \
	" (last_ns / 1000000000) || iif(closed_ns IS NULL, ']', ')' || (closed_ns / 1000000000) " \
	"|| closed_by) FROM condition ORDER BY id"

#define LOG CHECKS_LOG

static void
lives(void)
{
	static const struct {
		const char *story;
		struct said said[SAID];
		const char *expected;
	} rows[] = {
		{"begins and ends", {{1, 'F', "a", NULL, NULL}, {5, '+', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)5recovery"},
		{"stands", {{1, '-', "a", NULL, NULL}}, "mlx5_0/a/-*1[1-1]"},
		{"repeats",
			{{1, 'F', "a", NULL, NULL}, {3, 'F', "a", NULL, NULL},
				{9, 'F', "a", NULL, NULL}},
			"mlx5_0/a/F*3[1-9]"},
		{"begins again after its end",
			{{1, 'F', "a", NULL, NULL}, {2, '+', "a", NULL, NULL},
				{3, 'F', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_0/a/F*1[3-3]"},
		{"another condition when it turns fatal, and stays fatal",
			{{1, '-', "a", NULL, NULL}, {2, 'F', "a", NULL, NULL},
				{3, '-', "a", NULL, NULL}},
			"mlx5_0/a/-*1[1-1)2severity mlx5_0/a/F*1[2-2]"},
		{"devices, codes and checks are apart",
			{{1, 'F', "a", NULL, NULL}, {1, 'F', "b", NULL, NULL},
				{1, 'F', "a", "mlx5_1", NULL}, {1, 'F', "a", NULL, "d"},
				{2, '+', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_0/b/F*1[1-1] mlx5_1/a/F*1[1-1] "
			"mlx5_0/a/F*1[1-1]"},
		{"a recovery may name several",
			{{1, 'F', "a", NULL, NULL}, {1, 'F', "b", NULL, NULL},
				{1, 'F', "ab", NULL, NULL}, {2, '+', "b,a,c", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_0/b/F*1[1-1)2recovery mlx5_0/ab/F*1[1-1]"},
		{"one with several codes ends by the same codes",
			{{1, 'F', "a,b", NULL, NULL}, {1, 'F', "c,d", NULL, NULL},
				{2, '+', "a,b", NULL, NULL}},
			"mlx5_0/a,b/F*1[1-1)2recovery mlx5_0/c,d/F*1[1-1]"},
		{"one with several codes does not end by one of them",
			{{1, 'F', "a,b", NULL, NULL}, {2, '+', "b", NULL, NULL}},
			"mlx5_0/a,b/F*1[1-1]"},
		{"a recovery without codes ends all of its device, and of no other",
			{{1, 'F', "", NULL, NULL}, {1, 'F', "a", NULL, NULL},
				{1, 'F', "a", "mlx5_1", NULL}, {2, '+', "", NULL, NULL}},
			"mlx5_0//F*1[1-1)2recovery mlx5_0/a/F*1[1-1)2recovery mlx5_1/a/F*1[1-1]"},
		{"one without a code does not end by a recovery with one",
			{{1, 'F', "", NULL, NULL}, {2, '+', "a", NULL, NULL}}, "mlx5_0//F*1[1-1]"},
		{"the whole check recovers",
			{{1, 'F', "a", NULL, NULL}, {1, '-', "b", "mlx5_1", NULL},
				{1, 'F', "a", NULL, "d"}, {2, '+', "", "", NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_1/b/-*1[1-1)2recovery mlx5_0/a/F*1[1-1]"},
		{"a recovery of one that never stood",
			{{1, '+', "a", NULL, NULL}, {2, '+', "", "", NULL}}, ""},
		{"a recovery of one that has ended",
			{{1, 'F', "a", NULL, NULL}, {2, '+', "a", NULL, NULL},
				{3, '+', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery"},
		{"one from the log lasts for an hour",
			{{1, '-', "a", NULL, LOG}, {3600, '-', "a", NULL, LOG},
				{7199, '-', "a", NULL, LOG}},
			"mlx5_0/a/-*3[1-7199]"},
		{"and is over then", {{1, '-', "a", NULL, LOG}, {3601, '-', "a", NULL, LOG}},
			"mlx5_0/a/-*1[1-1)3601age mlx5_0/a/-*1[3601-3601]"},
		{"but not if it is fatal", {{1, 'F', "a", NULL, LOG}, {9000, 'F', "a", NULL, LOG}},
			"mlx5_0/a/F*2[1-9000]"},
		{"nor if it is not from the log",
			{{1, '-', "a", NULL, NULL}, {9000, '-', "a", NULL, NULL}},
			"mlx5_0/a/-*2[1-9000]"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct spool spool;
		check_row("%s", rows[i].story);
		spools_open(&spool, DATABASE_IN_MEMORY);
		for (size_t j = 0; j < SAID && rows[i].said[j].severity != '\0'; j++)
			say(&spool, &rows[i].said[j]);
		CHECK_STR(spools_text(spool.database.db, CONDITIONS_SQL), rows[i].expected);
		spool_fini(&spool);
	}
}

/* Add an event about these entities, each a type and a value. */
static void
say_about(struct spool *spool, const char *agent, bool healthy, const char *code, const char *nic,
	const char *port)
{
	char members[600], entities[200] = "";
	if (*nic != '\0')
		snprintf(entities, sizeof entities, "{'entityType':'NIC','entityValue':'%s'}%s%s%s",
			nic, *port != '\0' ? ",{'entityType':'NICPort','entityValue':'" : "", port,
			*port != '\0' ? "'}" : "");
	snprintf(members, sizeof members,
		"'checkName':'c','nodeName':'n','agent':'%s','isFatal':%s,'isHealthy':%s,'"
		"errorCode':[%s%s%s],'entitiesImpacted':[%s]",
		agent, healthy ? "false" : "true", healthy ? "true" : "false",
		*code != '\0' ? "'" : "", code, *code != '\0' ? "'" : "", entities);
	spools_add_members(spool, members, S);
}

static const char *
standing(struct spool *spool)
{
	return spools_text(spool->database.db, "SELECT agent || ':' || about || '/' || code FROM "
					       "condition WHERE closed_ns IS NULL ORDER BY id");
}

static void
recoveries_of_devices(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say_about(&spool, "x", false, "port_state", "m0", "1");
	say_about(&spool, "x", false, "link_downed", "m0", "1");
	say_about(&spool, "x", false, "port_state", "m0", "2");
	say_about(&spool, "x", false, "nic_gone", "m0", "");
	/* The device is back: this ends no condition of its ports. */
	say_about(&spool, "x", true, "nic_gone", "m0", "");
	CHECK_STR(standing(&spool), "x:NIC=m0,NICPort=1/port_state x:NIC=m0,NICPort=1/link_downed "
				    "x:NIC=m0,NICPort=2/port_state");
	/* A port is up again: this ends no condition of its counters. */
	say_about(&spool, "x", true, "port_state", "m0", "1");
	CHECK_STR(standing(&spool), "x:NIC=m0,NICPort=1/link_downed x:NIC=m0,NICPort=2/port_state");
	/* An older version gave no codes: its event ends all conditions about the device. */
	say_about(&spool, "x", true, "", "m0", "");
	CHECK_STR(standing(&spool), "");
	spool_fini(&spool);
}

static void
agents(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say_about(&spool, "x", false, "a", "m0", "1");
	say_about(&spool, "y", false, "a", "m0", "1");
	say_about(&spool, "y", false, "a", "m0", "1");
	CHECK_STR(standing(&spool), "x:NIC=m0,NICPort=1/a y:NIC=m0,NICPort=1/a");
	/* For receivers a recovery belongs to the check, whichever agent sends it. */
	say_about(&spool, "x", true, "a", "m0", "1");
	CHECK_STR(standing(&spool), "");
	spool_fini(&spool);
}

/* A spool of the first version, which gave no codes and did not separate conditions by agent. */
static const char old_rows[] =
	"CREATE UNIQUE INDEX condition_open ON condition (node, check_name, about, code)"
	" WHERE closed_ns IS NULL;"
	"INSERT INTO event VALUES (1, 's', 1, 's-1', 1, 1, 'n', 'x', 'c', 'm0', '1', 1, 0, '', '', "
	"'', '{\"kind\":\"event\"}'), (2, 's', 2, 's-2', 1, 1, 'n', 'x', 'c', 'm0', '1', 1, 0, "
	"'link_downed', '', '', '{\"kind\":\"event\"}');INSERT INTO condition VALUES (1, 'n', 'x', "
	"'c', 'NIC=m0,NICPort=1', 'm0', '1', '', 1, '', "
	"'', 1, 1, 1, NULL, 1, 1, NULL, NULL, NULL), (2, 'n', 'x', 'c', 'NIC=m0,NICPort=1', 'm0', "
	"'1', 'link_downed', 1, '', '', 1, 1, 1, "
	"NULL, 2, 2, NULL, NULL, NULL);";

static void
spools_of_older_versions(void)
{
	struct spool spool;
	char *header = sqlite3_mprintf("PRAGMA application_id=%d; PRAGMA user_version=%d",
		SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	const char *const parts_of_old[] = {schema_sql, old_rows, header};
	sqlite3 *db;
	CHECK_INT(sqlite3_open(spools_path("old.db"), &db), SQLITE_OK);
	for (size_t i = 0; i < CHECK_COUNT(parts_of_old); i++)
		CHECK_INT(sqlite3_exec(db, parts_of_old[i], NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	sqlite3_free(header);

	spools_open(&spool, spools_path("old.db"));
	say_about(&spool, "x", false, "", "m0", "1");
	CHECK_STR(standing(&spool), "x:NIC=m0,NICPort=1/ x:NIC=m0,NICPort=1/link_downed");
	CHECK_STR(spools_text(spool.database.db, "SELECT alert_check || alert_device || alert_port "
						 "|| alert_code FROM condition"
						 " ORDER BY id"),
		"cm01 cm01link_downed");
	say_about(&spool, "y", false, "", "m0", "1");
	say_about(&spool, "x", true, "link_downed", "m0", "1");
	CHECK_STR(standing(&spool), "x:NIC=m0,NICPort=1/ y:NIC=m0,NICPort=1/");
	say_about(&spool, "x", true, "", "m0", "1");
	CHECK_STR(standing(&spool), "");
	spool_fini(&spool);
}

static void
remembers_the_latest(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say(&spool, &(struct said){1, '-', "a", NULL, LOG});
	say(&spool, &(struct said){9, '-', "a", NULL, LOG});
	say(&spool, &(struct said){10, '+', "zzz", NULL, LOG});
	CHECK_STR(
		spools_text(spool.database.db, "SELECT message || ' ' || opened || ' ' || updated "
					       "|| ' ' || (until_ns / 1000000000) FROM condition"),
		"at 9 1 2 3609");
	spool_fini(&spool);
}

static char parts[2000];

static void
note_part(const struct condition *part)
{
	size_t used = strlen(parts);
	snprintf(parts + used, sizeof parts - used, "%s%s/%s/%c[%d-%d%c%s", used > 0 ? " " : "",
		part->device, part->code, part->fatal ? 'F' : '-', (int)(part->since_ns / S),
		(int)(part->ends_ns / S), part->stands ? ']' : ')', part->is_new ? "!" : "");
}

/* Return what an alert receiver gets for the events behind `after` up to `upto`. */
static const char *
heard(struct spool *spool, uint64_t after, uint64_t upto, bool all_standing, int now_s)
{
	const struct conditions_range range = {.after = after,
		.upto = upto,
		.all_standing = all_standing,
		.now_ns = (uint64_t)now_s * S,
		.ends_ns = (uint64_t)(now_s + 800) * S};
	*parts = '\0';
	struct condition_list list;
	CHECK_INT(conditions_collect(spool, &range, &list), DATABASE_OK);
	for (size_t i = 0; i < list.count; i++)
		note_part(&list.items[i]);
	condition_list_fini(&list);
	return parts;
}

static void
parts_of_events(void)
{
	static const struct {
		uint64_t after, upto;
		bool all_standing;
		int now_s;
		const char *expected;
	} rows[] = {
		/* Conditions: a (events 1, 3) ended by 4; b (2); log (5), which stands until
		 * 3605. */
		{0, 6, false, 100, "m/l/-[5-900]! m/a/F[1-4)! m/b/-[2-900]!"},
		{0, 1, false, 100, ""},
		{0, 2, false, 100, "m/b/-[2-900]!"},
		{2, 3, false, 100, ""},
		{3, 4, false, 100, "m/a/F[1-4)"},
		{4, 5, false, 100, "m/l/-[5-900]!"},
		{5, 6, false, 100, ""},
		{6, 6, true, 100, "m/l/-[5-900] m/b/-[2-900]"},
		{6, 6, true, 3605, "m/b/-[2-4405]"},
		/* A condition delivered late ended at its own time. */
		{4, 5, false, 5000, "m/l/-[5-3605)!"},
		/* An end in the future becomes the current time. */
		{3, 4, false, 2, "m/a/F[1-2)"},
	};
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say(&spool, &(struct said){1, 'F', "a", "m", NULL});
	say(&spool, &(struct said){2, '-', "b", "m", NULL});
	say(&spool, &(struct said){3, 'F', "a", "m", NULL});
	say(&spool, &(struct said){4, '+', "a", "m", NULL});
	say(&spool, &(struct said){5, '-', "l", "m", LOG});
	say(&spool, &(struct said){6, '+', "none", "m", NULL});
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%zu", i);
		CHECK_STR(heard(&spool, rows[i].after, rows[i].upto, rows[i].all_standing,
				  rows[i].now_s),
			rows[i].expected);
	}
	spool_fini(&spool);
}

/* Add a fatal, or healthy, event of check "c" with an id and a cause, about a device and a port. */
static void
say_cause(struct spool *spool, bool healthy, const char *id, const char *cause, const char *code,
	const char *nic, const char *port)
{
	char members[600];
	snprintf(members, sizeof members,
		"'id':'%s','checkName':'c','nodeName':'n','isFatal':%s,'isHealthy':%s,'errorCode':["
		"'%s'],'entitiesImpacted':[{'entityType':'NIC','entityValue':'%s'}%s%s%s],"
		"'metadata':{'cause':'%s'},'generatedTimestamp':'1970-01-01T00:00:%02dZ'",
		id, healthy ? "false" : "true", healthy ? "true" : "false", code, nic,
		*port != '\0' ? ",{'entityType':'NICPort','entityValue':'" : "", port,
		*port != '\0' ? "'}" : "", cause, (int)spool->last_number + 1);
	spools_add_members(spool, members, 1);
}

static void
causes(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say_cause(&spool, false, "e-1", "", "port_state", "m0", "1");
	say_cause(&spool, false, "e-2", "e-1", "card_ports", "0000:18:00", "");
	/* A change of one condition sends the other, too. */
	CHECK_STR(heard(&spool, 1, 2, false, 50), "m0/port_state/F[1-850] m0/port_state/F[2-850]!");
	/* An event caused by the card's event belongs to the port's alert. */
	say_cause(&spool, false, "e-3", "e-2", "other", "x", "");
	CHECK_STR(heard(&spool, 2, 3, false, 50),
		"m0/port_state/F[1-850] m0/port_state/F[2-850] m0/port_state/F[3-850]!");
	/* Another port is another alert. */
	say_cause(&spool, false, "e-4", "", "port_state", "m0", "2");
	CHECK_STR(heard(&spool, 3, 4, false, 50), "m0/port_state/F[4-850]!");
	/* The port is up again, but the card is not healthy yet. */
	say_cause(&spool, true, "e-5", "", "port_state", "m0", "1");
	CHECK_STR(heard(&spool, 4, 5, false, 50),
		"m0/port_state/F[1-5) m0/port_state/F[2-850] m0/port_state/F[3-850]");
	say_cause(&spool, true, "e-6", "", "card_ports", "0000:18:00", "");
	CHECK_STR(heard(&spool, 5, 6, false, 50), "m0/port_state/F[2-6) m0/port_state/F[3-850]");
	spool_fini(&spool);
}

static void
causes_that_are_gone(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	/* An unknown cause: the card is its own cause. */
	say_cause(&spool, false, "e-1", "e-99", "card_ports", "0000:18:00", "");
	CHECK_STR(heard(&spool, 0, 1, false, 50), "0000:18:00/card_ports/F[1-850]!");
	/* The event was deleted, but its condition stands. */
	say_cause(&spool, false, "e-2", "", "port_state", "m0", "1");
	CHECK_INT(database_run(&spool.database, "DELETE FROM event"), DATABASE_OK);
	say_cause(&spool, false, "e-3", "e-2", "card_ports", "0000:3a:00", "");
	CHECK_STR(heard(&spool, 2, 3, false, 50), "m0/port_state/F[2-850] m0/port_state/F[3-850]!");
	/* The condition was deleted, but the event that repeated it was not. */
	say_cause(&spool, false, "e-4", "", "port_state", "m0", "1");
	CHECK_INT(database_run(&spool.database, "DELETE FROM condition"), DATABASE_OK);
	say_cause(&spool, false, "e-5", "e-4", "card_ports", "0000:3a:00", "");
	CHECK_STR(heard(&spool, 4, 5, false, 50), "m0/port_state/F[5-850]!");
	/* It names itself as its cause. */
	say_cause(&spool, false, "e-6", "e-6", "card_ports", "0000:5d:00", "");
	CHECK_STR(heard(&spool, 5, 6, false, 50), "0000:5d:00/card_ports/F[6-850]!");
	spool_fini(&spool);
}

static void
boots(void)
{
	static const char standing[] =
		"SELECT code FROM condition WHERE closed_ns IS NULL ORDER BY id";
	struct spool spool;
	spools_open(&spool, spools_path("spool.db"));
	say(&spool, &(struct said){1, 'F', "log", NULL, LOG});
	say(&spool, &(struct said){1, 'F', "port", NULL, NULL});
	/* Conditions from before the first noticed boot may belong to this boot. */
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-1", 10 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-1", 11 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	spool_fini(&spool);

	spools_open(&spool, spools_path("spool.db"));
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-3", 13 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, CONDITIONS_SQL),
		"mlx5_0/log/F*1[1-1)13reboot mlx5_0/port/F*1[1-1]");
	CHECK_STR(spools_text(spool.database.db, "SELECT value FROM meta WHERE name = 'boot_id'"),
		"boot-3");
	spool_fini(&spool);
}

static void
other_names(void)
{
	static const char standing[] =
		"SELECT code FROM condition WHERE closed_ns IS NULL ORDER BY id";
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say(&spool, &(struct said){1, 'F', "log", NULL, LOG});
	say(&spool, &(struct said){1, 'F', "port", NULL, NULL});
	/* The spool of an older version has a boot, and no name. */
	CHECK_INT(conditions_note_boot(&spool, "other", "boot-1", 10 * S), DATABASE_OK);
	CHECK_INT(
		database_run(&spool.database, "DELETE FROM meta WHERE name = 'node'"), DATABASE_OK);
	CHECK_INT(conditions_note_boot(&spool, "other", "boot-2", 11 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	/* What has neither name is another node's. */
	CHECK_INT(conditions_note_boot(&spool, "third", "boot-3", 12 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-4", 13 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "port");
	/* Another name in the same boot. */
	CHECK_INT(conditions_note_boot(&spool, "new", "boot-4", 14 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "port");
	CHECK_INT(conditions_note_boot(&spool, "new", "boot-5", 15 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "");
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"a condition begins, repeats and ends", lives},
	{"a device that is back ends no condition of its ports", recoveries_of_devices},
	{"conditions of two agents are separate", agents},
	{"a spool of an older version is continued", spools_of_older_versions},
	{"a condition shows the text of its last event", remembers_the_latest},
	{"a receiver gets the conditions that events changed, or all standing ones",
		parts_of_events},
	{"conditions with one cause are one alert, named after the cause", causes},
	{"a deleted cause is found by its condition or event, or else ignored",
		causes_that_are_gone},
	{"a boot ends the log conditions of the boot before", boots},
	{"a boot under another name ends all conditions of the former name", other_names},
};
CHECK_MAIN(tests)
