/* Unit tests of emit's conditions: what is wrong with the node, from when to when. */
#include "../../tools/emit/conditions.h"

#include "spools.h"

#define S UINT64_C(1000000000)

/* An event of check "c" about mlx5_0, unless it says otherwise. */
struct said {
	int at_s;
	char severity; /* F, + or -; 0: the last */
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
		"'checkName':'%s','nodeName':'n','isFatal':%s,'isHealthy':%s,'errorCode':[%s],'entitiesImpacted':[%s],"
		"'message':'at %d','generatedTimestamp':'1970-01-01T%02d:%02d:%02dZ'",
		said->check != NULL ? said->check : "c", said->severity == 'F' ? "true" : "false",
		said->severity == '+' ? "true" : "false", codes, entities, said->at_s,
		said->at_s / 3600, said->at_s / 60 % 60, said->at_s % 60);
	spools_add_members(spool, members, 1);
}

/* Each condition as `about/code/severity*times[since-last)closed-by`, in the order in which they began; times in seconds. */
#define CONDITIONS_SQL \
	"SELECT device || '/' || code || '/' || iif(is_fatal, 'F', '-') || '*' || times || '[' || (since_ns / 1000000000) || '-' ||" \
	" (last_ns / 1000000000) || iif(closed_ns IS NULL, ']', ')' || (closed_ns / 1000000000) || closed_by) FROM condition ORDER BY id"

#define LOG CONDITIONS_LOG_CHECK

static void
lives(void)
{
	static const struct {
		const char *story;
		struct said said[SAID];
		const char *expected;
	} rows[] = {
		{"begins and is taken back", {{1, 'F', "a", NULL, NULL}, {5, '+', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)5recovery"},
		{"stands", {{1, '-', "a", NULL, NULL}}, "mlx5_0/a/-*1[1-1]"},
		{"is said again",
			{{1, 'F', "a", NULL, NULL}, {3, 'F', "a", NULL, NULL},
				{9, 'F', "a", NULL, NULL}},
			"mlx5_0/a/F*3[1-9]"},
		{"begins again",
			{{1, 'F', "a", NULL, NULL}, {2, '+', "a", NULL, NULL},
				{3, 'F', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_0/a/F*1[3-3]"},
		{"another severity is another condition",
			{{1, '-', "a", NULL, NULL}, {2, 'F', "a", NULL, NULL},
				{3, '-', "a", NULL, NULL}},
			"mlx5_0/a/-*1[1-1)2severity mlx5_0/a/F*1[2-2)3severity mlx5_0/a/-*1[3-3]"},
		{"devices, codes and checks are apart",
			{{1, 'F', "a", NULL, NULL}, {1, 'F', "b", NULL, NULL},
				{1, 'F', "a", "mlx5_1", NULL}, {1, 'F', "a", NULL, "d"},
				{2, '+', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_0/b/F*1[1-1] mlx5_1/a/F*1[1-1] mlx5_0/a/F*1[1-1]"},
		{"a recovery may name several",
			{{1, 'F', "a", NULL, NULL}, {1, 'F', "b", NULL, NULL},
				{1, 'F', "ab", NULL, NULL}, {2, '+', "b,a,c", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_0/b/F*1[1-1)2recovery mlx5_0/ab/F*1[1-1]"},
		{"one that has several is taken back by the same",
			{{1, 'F', "a,b", NULL, NULL}, {1, 'F', "a,c", NULL, NULL},
				{2, '+', "a,b", NULL, NULL}},
			"mlx5_0/a,b/F*1[1-1)2recovery mlx5_0/a,c/F*1[1-1]"},
		{"one that has several is not taken back by one of them",
			{{1, 'F', "a,b", NULL, NULL}, {2, '+', "a", NULL, NULL}},
			"mlx5_0/a,b/F*1[1-1]"},
		{"without codes",
			{{1, 'F', "", NULL, NULL}, {1, 'F', "a", NULL, NULL},
				{2, '+', "", NULL, NULL}},
			"mlx5_0//F*1[1-1)2recovery mlx5_0/a/F*1[1-1]"},
		{"the whole check recovers",
			{{1, 'F', "a", NULL, NULL}, {1, '-', "b", "mlx5_1", NULL},
				{1, 'F', "a", NULL, "d"}, {2, '+', "", "", NULL}},
			"mlx5_0/a/F*1[1-1)2recovery mlx5_1/b/-*1[1-1)2recovery mlx5_0/a/F*1[1-1]"},
		{"what never stood is not taken back",
			{{1, '+', "a", NULL, NULL}, {2, '+', "", "", NULL}}, ""},
		{"what has been taken back is not taken back again",
			{{1, 'F', "a", NULL, NULL}, {2, '+', "a", NULL, NULL},
				{3, '+', "a", NULL, NULL}},
			"mlx5_0/a/F*1[1-1)2recovery"},
		{"what the log says goes on for an hour",
			{{1, '-', "a", NULL, LOG}, {3600, '-', "a", NULL, LOG},
				{7199, '-', "a", NULL, LOG}},
			"mlx5_0/a/-*3[1-7199]"},
		{"and is over then", {{1, '-', "a", NULL, LOG}, {3601, '-', "a", NULL, LOG}},
			"mlx5_0/a/-*1[1-1)3601age mlx5_0/a/-*1[3601-3601]"},
		{"but not when it is fatal",
			{{1, 'F', "a", NULL, LOG}, {9000, 'F', "a", NULL, LOG}},
			"mlx5_0/a/F*2[1-9000]"},
		{"nor when it is not the log",
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

static void
remembers_the_latest(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say(&spool, &(struct said){1, '-', "a", NULL, LOG});
	say(&spool, &(struct said){9, '-', "a", NULL, LOG});
	say(&spool, &(struct said){10, '+', "zzz", NULL, LOG});
	CHECK_STR(
		spools_text(spool.database.db,
			"SELECT message || ' ' || opened || ' ' || updated || ' ' || (until_ns / 1000000000) FROM condition"),
		"at 9 1 2 3609");
	spool_fini(&spool);
}

static char alerts[2000];

static int
note_alert(void *context, const struct alert *alert)
{
	size_t used = strlen(alerts);
	(void)context;
	snprintf(alerts + used, sizeof alerts - used, "%s%s/%s/%c[%d-%d)", used > 0 ? " " : "",
		alert->device, alert->code, alert->fatal ? 'F' : '-', (int)(alert->since_ns / S),
		(int)(alert->ends_ns / S));
	return 0;
}

static int
refuse_alert(void *context, const struct alert *alert)
{
	(void)context, (void)alert;
	return -1;
}

static void
alerts_of_events(void)
{
	static const struct {
		uint64_t after, upto;
		bool all_standing;
		int now_s;
		const char *expected;
	} rows[] = {
		/* Conditions: a (events 1, 3) ended by 4; b (2); log (5), which stands until 3605. */
		{0, 6, false, 100, "m/a/F[1-4) m/b/-[2-900) m/l/-[5-900)"},
		{0, 1, false, 100, ""},
		{0, 2, false, 100, "m/b/-[2-900)"},
		{2, 3, false, 100, "m/a/F[1-4)"},
		{3, 4, false, 100, "m/a/F[1-4)"},
		{4, 5, false, 100, "m/l/-[5-900)"},
		{5, 6, false, 100, ""},
		{6, 6, true, 100, "m/b/-[2-900) m/l/-[5-900)"},
		{6, 6, true, 3605, "m/b/-[2-4405)"},
		/* What is told late has ended when it had. */
		{4, 5, false, 5000, "m/l/-[5-3605)"},
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
		const struct conditions_range range = {.after = rows[i].after,
			.upto = rows[i].upto,
			.all_standing = rows[i].all_standing,
			.now_ns = (uint64_t)rows[i].now_s * S,
			.ends_ns = (uint64_t)(rows[i].now_s + 800) * S};
		check_row("%zu", i);
		*alerts = '\0';
		CHECK_INT(conditions_alerts(&spool, &range, note_alert, NULL), DATABASE_OK);
		CHECK_STR(alerts, rows[i].expected);
	}
	const struct conditions_range all = {.upto = 6};
	CHECK_INT(conditions_alerts(&spool, &all, refuse_alert, NULL), DATABASE_UNAVAILABLE);
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
	/* What was there before the first boot that is noticed may be of this boot. */
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-1", 10 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-1", 11 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	spool_fini(&spool);

	spools_open(&spool, spools_path("spool.db"));
	CHECK_INT(conditions_note_boot(&spool, "other", "boot-2", 12 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, standing), "log port");
	CHECK_INT(conditions_note_boot(&spool, "n", "boot-3", 13 * S), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, CONDITIONS_SQL),
		"mlx5_0/log/F*1[1-1)13reboot mlx5_0/port/F*1[1-1]");
	CHECK_STR(spools_text(spool.database.db, "SELECT value FROM meta WHERE name = 'boot_id'"),
		"boot-3");
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"a condition begins, is said again, and ends", lives},
	{"a condition shows what was said last", remembers_the_latest},
	{"alerts are made of what events have changed, or of all that stands", alerts_of_events},
	{"a boot ends what the log of the last one said", boots},
};
CHECK_MAIN(tests)
