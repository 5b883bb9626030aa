/* Unit tests of silence: parsing silences, and which events they cover until when. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silence.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* 2026-11-27T00:00:00Z */
#define MIDNIGHT_NS UINT64_C(1795737600000000000)

/* Return a line, given with ' for ". `more` begins with a comma, or is "". */
static char *
line_new(const char *id, const char *device, const char *until, const char *more)
{
	char text[1024];
	snprintf(text, sizeof text,
		"{'kind':'silence','v':1,'id':'%s','device':'%s','until':'%s','why':'w','by':'b'%"
		"s}",
		id, device, until, more);
	json_t *record = check_json_new(text);
	char *line = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	return line;
}

static void
reads_a_line(void)
{
	struct rec_error error;
	struct silence silence;
	char *line = line_new("0123456789abcdef", "mlx5_3", "2026-11-27T02:00:00+02:00",
		",'port':2,'code':'link_downed'");
	CHECK(silence_parse(line, strlen(line), &silence, &error));
	CHECK_STR(silence.id, "0123456789abcdef");
	CHECK_STR(silence.device, "mlx5_3");
	CHECK_U64(silence.port, 2);
	CHECK_STR(silence.code, "link_downed");
	CHECK_U64(silence.until_ns, MIDNIGHT_NS);
	CHECK_STR(silence.why, "w");
	CHECK_STR(silence.by, "b");
	silence_fini(&silence);
	free(line);
}

/* Parse a line in which one member is replaced, or missing if NULL; return whether it is accepted,
 * with the reason in `error`. */
static bool
takes(const char *name, json_t *value, struct rec_error *error)
{
	struct silence silence;
	json_t *record = check_json_new(
		"{'kind':'silence','v':1,'id':'0123456789abcdef','device':'mlx5_3','port':1,"
		"'code':'link_downed','until':'2026-11-27T00:00:00Z','why':'w','by':'b'}");
	*error = (struct rec_error){.reason = ""};
	if (value != NULL)
		json_object_set_new(record, name, value);
	else
		json_object_del(record, name);
	char *line = json_dumps(record, JSON_COMPACT);
	bool good = silence_parse(line, strlen(line), &silence, error);
	if (good)
		silence_fini(&silence);
	free(line);
	json_decref(record);
	return good;
}

static void
refuses(void)
{
	static const struct {
		const char *name, *value, *reason;
	} rows[] = {
		{"kind", "\"event\"", "neither a silence nor a clear"},
		{"kind", NULL, "kind"},
		{"id", NULL, "id"},
		{"id", "7", "id"},
		{"id", "\"\"", "id"},
		{"id", "\"0123456789abcde\"", "id is not 16 hexadecimal digits"},
		{"id", "\"0123456789abcdeg\"", "id is not 16 hexadecimal digits"},
		{"id", "\"0123456789ABCDEF\"", "id is not 16 hexadecimal digits"},
		{"id", "\"0123456789abcdef0\"", "id"},
		{"device", NULL, "device"},
		{"device", "\"\"", "device"},
		{"device", "\"mlx5\\n\"", "a control character in a text"},
		{"port", "-1", "port is below 0"},
		{"port", "\"1\"", "port"},
		{"code", "\"\"", "code"},
		{"code", "[\"link_downed\"]", "code"},
		{"code", "\"link\\u007f\"", "a control character in a text"},
		{"until", NULL, "until"},
		{"until", "\"tomorrow\"", "until is not a time as in RFC 3339"},
		{"until", "1795737600", "until"},
		{"why", NULL, "why"},
		{"why", "\"\"", "why"},
		{"why", "\"w\\u001b[2J\"", "a control character in a text"},
		{"by", NULL, "by"},
		{"by", "\"\"", "by"},
		{"by", "\"a\\tb\"", "a control character in a text"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error;
		json_t *value = rows[i].value != NULL
					? json_loads(rows[i].value, JSON_DECODE_ANY, NULL)
					: NULL;
		check_row(
			"%s: %s", rows[i].name, rows[i].value != NULL ? rows[i].value : "missing");
		CHECK(!takes(rows[i].name, value, &error));
		CHECK_HAS(error.reason, rows[i].reason);
	}
}

static void
leaves_choices(void)
{
	static const struct {
		const char *name, *value;
	} rows[] = {
		{"kind", "\"clear\""},
		{"port", "null"},
		{"port", "0"},
		{"port", NULL},
		{"code", "null"},
		{"code", NULL},
		{"more", "[1]"},
		{"v", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error;
		check_row(
			"%s: %s", rows[i].name, rows[i].value != NULL ? rows[i].value : "missing");
		CHECK(takes(rows[i].name,
			rows[i].value != NULL ? json_loads(rows[i].value, JSON_DECODE_ANY, NULL)
					      : NULL,
			&error));
	}
}

static void
bounds_texts(void)
{
	static const struct {
		const char *name;
		size_t most;
	} rows[] = {
		{"device", SILENCE_NAME_BYTES},
		{"code", SILENCE_NAME_BYTES},
		{"by", SILENCE_NAME_BYTES},
		{"why", SILENCE_WHY_BYTES},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		for (size_t length = rows[i].most; length <= rows[i].most + 1; length++) {
			struct rec_error error;
			char *text = check_repeat_new('w', length);
			check_row("%s of %zu bytes", rows[i].name, length);
			CHECK_INT(takes(rows[i].name, json_string(text), &error),
				length <= rows[i].most);
			free(text);
		}
	}
}

static void
tells_acts_from_silences(void)
{
	static const struct silence_subject subject = {"mlx5_3", "mlx5_3", "1", ""};
	static const char line[] =
		"{\"kind\":\"clear\",\"id\":\"0123456789abcdef\",\"device\":\"mlx5_3\","
		"\"until\":\"2026-11-27T00:00:00Z\",\"why\":\"w\",\"by\":\"b\"}";
	struct silences silences;
	CHECK_INT(silences_read(&silences, line, strlen(line), NULL, NULL), 0);
	CHECK(silences.items[0].clears);
	CHECK(silences_find(&silences, &subject, 0) == NULL);
	CHECK_U64(silences_next_end_ns(&silences, 0), UINT64_MAX);
	CHECK_U64(silences_count(&silences, 0), 0);
	silences_fini(&silences);
}

/* The rejections, as text. */
struct refused {
	char text[4096];
};

static void
note(void *context, size_t line, const char *reason)
{
	struct refused *refused = context;
	size_t used = strlen(refused->text);
	snprintf(refused->text + used, sizeof refused->text - used, "%zu: %s;", line, reason);
}

static void
leaves_out_bad_lines(void)
{
	char text[4096];
	struct refused refused = {.text = ""};
	struct silences silences;
	char *first = line_new("0000000000000001", "a", "2026-11-27T00:00:00Z", "");
	char *second = line_new("0000000000000002", "b", "2026-11-27T00:00:00Z", "");
	snprintf(text, sizeof text, "%s\n\nnonsense\n%s\n%s", first, first, second);
	CHECK_INT(silences_read(&silences, text, strlen(text), note, &refused), 0);
	CHECK_U64(silences.count, 2);
	CHECK_STR(silences.items[1].device, "b");
	CHECK_HAS(refused.text, "3: ");
	CHECK_HAS(refused.text, "4: another silence has the same id;");
	silences_fini(&silences);
	free(first);
	free(second);
}

static void
has_room_for_so_many(void)
{
	static char text[(SILENCE_MAX + 1) * 160];
	struct refused refused = {.text = ""};
	struct silences silences;
	size_t used = 0;
	for (size_t i = 0; i <= SILENCE_MAX; i++) {
		char id[32];
		snprintf(id, sizeof id, "%016zx", i);
		char *line = line_new(id, "a", "2026-11-27T00:00:00Z", "");
		used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", line);
		free(line);
	}
	CHECK_INT(silences_read(&silences, text, used, note, &refused), 0);
	CHECK_U64(silences.count, SILENCE_MAX);
	CHECK_STR(refused.text, "257: too many silences;");
	silences_fini(&silences);
}

static void
covers(void)
{
	static const struct {
		const char *more;
		struct silence_subject subject;
		bool expected;
	} rows[] = {
		{"", {"mlx5_3", "mlx5_3", "", ""}, true},
		{"", {"mlx5_3", "mlx5_3", "2", "link_downed"}, true},
		{"", {"mlx5_30", "mlx5_30", "", ""}, false},
		{"", {"mlx5_", "mlx5_", "", ""}, false},
		{"", {"", "", "", ""}, false},
		{",'port':0", {"mlx5_3", "mlx5_3", "2", ""}, true},
		{",'port':2", {"mlx5_3", "mlx5_3", "2", ""}, true},
		{",'port':2", {"mlx5_3", "mlx5_3", "1", ""}, false},
		{",'port':2", {"mlx5_3", "mlx5_3", "", ""}, false},
		{",'port':2", {"mlx5_3", "mlx5_3", "two", ""}, false},
		{",'code':'link_downed'", {"mlx5_3", "mlx5_3", "2", "link_downed"}, true},
		{",'code':'link_downed'", {"mlx5_3", "mlx5_3", "2", "link_downed,saturated"},
			false},
		{",'code':'link_downed'", {"mlx5_3", "mlx5_3", "2", ""}, false},
		{",'port':2,'code':'link_downed'", {"mlx5_3", "mlx5_3", "1", "link_downed"}, false},
		/* several devices */
		{"", {"mlx5_3", "mlx5_3,mlx5_4", "", ""}, false},
		{"", {"mlx5_2", "mlx5_2,mlx5_3", "", ""}, false},
		{"", {"mlx5_3", "mlx5_3,mlx5_3", "", ""}, true},
		/* a card */
		{"", {"0000:18:00", "mlx5_2,mlx5_3", "", "card_ports"}, true},
		{"", {"0000:18:00", "mlx5_2,mlx5_30", "", "card_ports"}, false},
		{"", {"0000:18:00", "", "", "card_ports"}, false},
		{",'port':2", {"0000:18:00", "mlx5_3", "", "card_ports"}, true},
		{",'code':'link_downed'", {"0000:18:00", "mlx5_3", "", "card_ports"}, false},
		{",'code':'card_ports'", {"0000:18:00", "mlx5_2,mlx5_3", "", "card_ports"}, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct silence_subject *subject = &rows[i].subject;
		struct silences silences;
		char *line = line_new(
			"0123456789abcdef", "mlx5_3", "2026-11-27T00:00:00Z", rows[i].more);
		check_row("%s %s (%s) port %s %s", rows[i].more, subject->device, subject->devices,
			subject->port, subject->code);
		CHECK_INT(silences_read(&silences, line, strlen(line), note, NULL), 0);
		CHECK_INT(silences_find(&silences, subject, MIDNIGHT_NS - 1) != NULL,
			rows[i].expected);
		CHECK(silences_find(&silences, subject, MIDNIGHT_NS) == NULL);
		silences_fini(&silences);
		free(line);
	}
}

static void
covers_several_by_several(void)
{
	static const struct silence_subject both = {"a", "a,b", "", ""};
	char text[1024];
	struct silences silences;
	char *first = line_new("0000000000000001", "a", "2026-11-27T00:00:01Z", "");
	char *second = line_new("0000000000000002", "b", "2026-11-27T00:00:00Z", "");
	snprintf(text, sizeof text, "%s\n%s\n", first, second);
	CHECK_INT(silences_read(&silences, text, strlen(text), note, NULL), 0);
	CHECK(silences_find(&silences, &both, MIDNIGHT_NS - 1) != NULL);
	CHECK(silences_find(&silences, &both, MIDNIGHT_NS) == NULL);
	silences_fini(&silences);
	free(first);
	free(second);
}

/* Entries behind the last silence in memory do not count. */
static void
looks_at_each(void)
{
	static const struct silence_subject device = {"b", "b", "", ""};
	static const struct silence_subject card = {"0000:18:00", "b,c", "", ""};
	char text[1024];
	struct silences silences;
	char *first = line_new("0000000000000001", "a", "2026-11-27T00:00:00Z", "");
	char *second = line_new("0000000000000002", "b", "2026-11-26T00:00:00Z", "");
	snprintf(text, sizeof text, "%s\n%s\n", first, second);
	CHECK_INT(silences_read(&silences, text, strlen(text), note, NULL), 0);
	CHECK(silences_find(&silences, &device, 0) != NULL);
	CHECK(silences_find(&silences, &card, 0) != NULL);
	CHECK_U64(silences_count(&silences, 0), 2);

	silences.count--;
	CHECK(silences_find(&silences, &device, 0) == NULL);
	CHECK(silences_find(&silences, &card, 0) == NULL);
	CHECK_U64(silences_count(&silences, 0), 1);
	CHECK_U64(silences_next_end_ns(&silences, 0), MIDNIGHT_NS);

	silences.count++;
	silences_fini(&silences);
	free(first);
	free(second);
}

static void
ends_at_its_time(void)
{
	static const struct silence_subject port_1 = {"a", "a", "1", ""},
					    port_2 = {"a", "a", "2", ""};
	char text[1024];
	struct silences silences;
	char *first = line_new("0000000000000001", "a", "2026-11-27T00:00:00Z", "");
	char *second = line_new("0000000000000002", "a", "2026-11-27T00:00:01Z", ",'port':1");
	const uint64_t later_ns = MIDNIGHT_NS + NUM_NS_PER_S;
	snprintf(text, sizeof text, "%s\n%s\n", first, second);
	CHECK_INT(silences_read(&silences, text, strlen(text), note, NULL), 0);

	CHECK_U64(silences_next_end_ns(&silences, 0), MIDNIGHT_NS);
	CHECK_U64(silences_count(&silences, MIDNIGHT_NS - 1), 2);
	CHECK_U64(silences_count(&silences, MIDNIGHT_NS), 1);
	CHECK_STR(silences_find(&silences, &port_1, MIDNIGHT_NS - 1)->id, "0000000000000001");
	CHECK_U64(silences_next_end_ns(&silences, MIDNIGHT_NS), later_ns);
	CHECK_STR(silences_find(&silences, &port_1, MIDNIGHT_NS)->id, "0000000000000002");
	CHECK(silences_find(&silences, &port_2, MIDNIGHT_NS) == NULL);
	CHECK_U64(silences_next_end_ns(&silences, later_ns), UINT64_MAX);
	CHECK(silences_find(&silences, &port_1, later_ns) == NULL);
	silences_fini(&silences);
	free(first);
	free(second);
}

static const struct check_test tests[] = {
	{"a silence has a device, optionally a port and a code, an end, and a reason",
		reads_a_line},
	{"a line that is no silence is refused with the reason", refuses},
	{"a port, a code and unknown members are optional", leaves_choices},
	{"a name has at most 64 bytes, and a reason 200", bounds_texts},
	{"a clear is an entry of its own, and silences nothing", tells_acts_from_silences},
	{"invalid lines of a file are skipped and reported, and the others apply",
		leaves_out_bad_lines},
	{"a file has at most 256 silences", has_room_for_so_many},
	{"a silence covers its device, or only a port or a code of it, and its card", covers},
	{"an event about several devices is covered while each of them is",
		covers_several_by_several},
	{"every silence of a file is checked, and no more", looks_at_each},
	{"a silence applies until its end, and of two the other one continues", ends_at_its_time},
};

CHECK_MAIN(tests)
