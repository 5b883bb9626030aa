/* Unit tests of event: building event records (records#events). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ELLIPSIS "\xE2\x80\xA6"

static struct event_stream
stream_new(void)
{
	struct event_stream stream;
	event_stream_init(&stream, "ctreval", "gpu-42", "a1b2", "T1", "EXECUTE_REMEDIATION");
	return stream;
}

/* The members in which the events of these tests differ. */
struct sample {
	const char *check;
	bool fatal, healthy;
	const char *message, *error_code, *error_word, *device, *port;
	const char *pci, *role, *devices, *timestamp;
};

static json_t *
record_new(struct event_stream *stream, const struct sample *sample)
{
	const char *const codes[] = {sample->error_code, sample->error_word};
	const struct event_pair entities[] = {{"NIC", sample->device}, {"NICPort", sample->port}};
	const struct event_pair metadata[] = {
		{"pci", sample->pci}, {"role", sample->role}, {"devices", sample->devices}};
	const struct event event = {.agent = "nic-health-monitor",
		.check = sample->check,
		.fatal = sample->fatal,
		.healthy = sample->healthy,
		.message = sample->message,
		.message_length = strlen(sample->message),
		.codes = codes,
		.code_count = CHECK_COUNT(codes),
		.entities = entities,
		.entity_count = CHECK_COUNT(entities),
		.metadata = metadata,
		.metadata_count = CHECK_COUNT(metadata),
		.timestamp = sample->timestamp};
	return event_new(stream, &event);
}

static const struct sample full = {.check = "InfiniBandStateCheck",
	.fatal = true,
	.message = "Port mlx5_0 port 1: state DOWN, phys_state Disabled",
	.error_code = "link_downed",
	.device = "mlx5_0",
	.port = "1",
	.pci = "0000:18:00.0",
	.role = "compute",
	.timestamp = "2026-01-02T03:04:05.678901Z"};

static void
whole(void)
{
	char text[1000];
	struct event_stream stream = stream_new();
	json_t *record = record_new(&stream, &full);
	snprintf(text, sizeof text,
		"{'kind':'event','id':'%s-1','version':1,'agent':'nic-health-monitor',"
		"'componentClass':'NIC','checkName':'InfiniBandStateCheck','isFatal':true,"
		"'isHealthy':false,'message':'Port mlx5_0 port 1: state DOWN, phys_state Disabled',"
		"'recommendedAction':'REPLACE_VM','errorCode':['link_downed'],"
		"'entitiesImpacted':[{'entityType':'NIC','entityValue':'mlx5_0'},"
		"{'entityType':'NICPort','entityValue':'1'}],"
		"'metadata':{'pci':'0000:18:00.0','role':'compute'},"
		"'generatedTimestamp':'2026-01-02T03:04:05.678901Z','nodeName':'gpu-42',"
		"'processingStrategy':'EXECUTE_REMEDIATION','source':'%s','seq':1}",
		stream.source, stream.source);
	json_t *expected = check_json_new(text);
	CHECK(json_equal(record, expected));
	/* The order of the members is fixed as well: people read these lines. */
	char *got = json_dumps(record, JSON_COMPACT), *wanted = json_dumps(expected, JSON_COMPACT);
	CHECK_STR(got, wanted);
	free(got);
	free(wanted);
	json_decref(expected);
	json_decref(record);
}

static void
actions(void)
{
	static const struct {
		bool fatal, healthy;
		const char *action;
	} rows[] = {{true, false, "REPLACE_VM"}, {false, false, "NONE"}, {false, true, "NONE"}};
	struct event_stream stream = stream_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sample sample = full;
		sample.fatal = rows[i].fatal;
		sample.healthy = rows[i].healthy;
		json_t *record = record_new(&stream, &sample);
		CHECK_STR(json_string_value(json_object_get(record, "recommendedAction")),
			rows[i].action);
		CHECK_INT(json_is_true(json_object_get(record, "isFatal")), rows[i].fatal);
		CHECK_INT(json_is_true(json_object_get(record, "isHealthy")), rows[i].healthy);
		json_decref(record);
	}
}

static void
bare(void)
{
	struct event_stream stream;
	const struct sample sample = {
		.check = "EthernetStateCheck", .message = "m", .timestamp = "T"};
	event_stream_init(&stream, "ctreval", NULL, NULL, "T", "STORE_ONLY");
	json_t *record = record_new(&stream, &sample);
	CHECK_INT((int64_t)json_array_size(json_object_get(record, "errorCode")), 0);
	CHECK(json_is_array(json_object_get(record, "errorCode")));
	CHECK(json_is_array(json_object_get(record, "entitiesImpacted")));
	CHECK_INT((int64_t)json_array_size(json_object_get(record, "entitiesImpacted")), 0);
	CHECK(json_is_object(json_object_get(record, "metadata")));
	CHECK_INT((int64_t)json_object_size(json_object_get(record, "metadata")), 0);
	CHECK(json_is_null(json_object_get(record, "nodeName")));
	CHECK_STR(json_string_value(json_object_get(record, "processingStrategy")), "STORE_ONLY");
	json_decref(record);
}

static void
device_only(void)
{
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.port = NULL;
	json_t *record = record_new(&stream, &sample);
	json_t *expected = check_json_new("[{'entityType':'NIC','entityValue':'mlx5_0'}]");
	CHECK(json_equal(json_object_get(record, "entitiesImpacted"), expected));
	json_decref(expected);
	json_decref(record);
}

static void
numbering(void)
{
	struct event_stream stream = stream_new();
	CHECK_U64(stream.seq, 0);
	for (int i = 1; i <= 12; i++) {
		char id[60];
		json_t *record = record_new(&stream, &full);
		snprintf(id, sizeof id, "%s-%d", stream.source, i);
		CHECK_INT(json_integer_value(json_object_get(record, "seq")), i);
		CHECK_STR(json_string_value(json_object_get(record, "id")), id);
		CHECK_STR(json_string_value(json_object_get(record, "source")), stream.source);
		CHECK_U64(stream.seq, (uint64_t)i);
		json_decref(record);
	}
}

static void
goes_on(void)
{
	struct event_stream stream = stream_new();
	stream.seq = 41;
	json_t *record = record_new(&stream, &full);
	CHECK_INT(json_integer_value(json_object_get(record, "seq")), 42);
	json_decref(record);
}

static void
keeps_node(void)
{
	/* The scan that named the node is freed while the stream is still in use. */
	char node[REC_NODE_MAX_BYTES + 1];
	struct event_stream stream;
	memset(node, 'n', sizeof node - 1);
	node[sizeof node - 1] = '\0';
	event_stream_init(&stream, "ctreval", node, "b", "T", "STORE_ONLY");
	memset(node, 'X', sizeof node - 1);
	json_t *record = record_new(&stream, &full);
	const char *name = json_string_value(json_object_get(record, "nodeName"));
	if (CHECK(name != NULL)) {
		CHECK_INT((int64_t)strlen(name), REC_NODE_MAX_BYTES);
		CHECK_INT((int64_t)strspn(name, "n"), REC_NODE_MAX_BYTES);
	}
	json_decref(record);
}

static void
sources(void)
{
	/* Every part counts, and adjacent parts are not concatenated. */
	static const struct {
		const char *tool, *node, *boot_id, *ts;
	} rows[] = {
		{"ctreval", "n", "b", "T"},
		{"logmatch", "n", "b", "T"},
		{"ctreval", "m", "b", "T"},
		{"ctreval", "n", "c", "T"},
		{"ctreval", "n", "b", "U"},
		{"ctreval", "nb", "", "T"},
		{"ctreval", "", "nb", "T"},
		{"ctreval", NULL, "b", "T"},
		{"ctreval", "", "b", "T"},
		{"ctreval", "n", NULL, "T"},
		{"ctreval", "n", "", "T"},
		{"ctreval", NULL, NULL, "T"},
		{"ctrevaln", "b", "T", ""},
	};
	struct event_stream streams[CHECK_COUNT(rows)];
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct event_stream again;
		check_row("row %zu", i);
		event_stream_init(&streams[i], rows[i].tool, rows[i].node, rows[i].boot_id,
			rows[i].ts, "STORE_ONLY");
		event_stream_init(&again, rows[i].tool, rows[i].node, rows[i].boot_id, rows[i].ts,
			"EXECUTE_REMEDIATION");
		CHECK_STR(again.source, streams[i].source);
		CHECK_INT((int64_t)strlen(again.source), 16);
		CHECK_INT((int64_t)strspn(again.source, "0123456789abcdef"), 16);
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(streams[i].source, streams[k].source) != 0);
	}
}

/* Return the length of the record as a line; check that the writer writes it at once. */
static size_t
line_length(const json_t *record)
{
	struct rec_writer writer;
	int fd = memfd_create("line", MFD_CLOEXEC);
	rec_writer_init(&writer, fd);
	CHECK_INT(rec_write(&writer, record), 0);
	off_t length = lseek(fd, 0, SEEK_CUR);
	rec_writer_fini(&writer);
	close(fd);
	return (size_t)length;
}

static void
longest_whole(void)
{
	/* The message that fills the record exactly stays whole; one byte more is cut. */
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.message = "";
	json_t *record = record_new(&stream, &sample);
	size_t room = REC_EVENT_MAX_BYTES - line_length(record);
	json_decref(record);

	for (size_t extra = 0; extra <= 5; extra++) {
		char *text = check_repeat_new('m', room + extra);
		stream = stream_new();
		sample.message = text;
		record = record_new(&stream, &sample);
		check_row("%zu bytes too many", extra);
		if (CHECK(record != NULL)) {
			const char *message = json_string_value(json_object_get(record, "message"));
			CHECK_INT((int64_t)line_length(record), 4096);
			CHECK_INT((int64_t)strlen(message), (int64_t)room);
			CHECK_STR(message + room - 3, extra == 0 ? "mmm" : ELLIPSIS);
		}
		json_decref(record);
		free(text);
	}
}

static void
cut_at_boundary(void)
{
	/* Characters of 2, 3 and 4 bytes, shifted so that the cut falls at each of their bytes. */
	static const char *const characters[] = {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
	for (size_t c = 0; c < CHECK_COUNT(characters); c++) {
		size_t width = strlen(characters[c]);
		for (size_t shift = 0; shift < width; shift++) {
			char text[9000] = "";
			for (size_t i = 0; i < shift; i++)
				text[i] = 'x';
			for (size_t at = shift; at + width < sizeof text; at += width)
				memcpy(text + at, characters[c], width);

			struct event_stream stream = stream_new();
			struct sample sample = full;
			sample.message = text;
			json_t *record = record_new(&stream, &sample);
			check_row("%zu bytes wide, shifted by %zu", width, shift);
			if (!CHECK(record != NULL))
				continue;
			const char *message = json_string_value(json_object_get(record, "message"));
			size_t length = strlen(message);
			CHECK_STR(message + length - 3, ELLIPSIS);
			/* Before the ellipsis is the start of the text, in whole characters. */
			CHECK(strncmp(message, text, length - 3) == 0);
			CHECK_INT((int64_t)((length - 3 - shift) % width), 0);
			/* No more than necessary is cut: the rest is shorter than a character. */
			size_t line = line_length(record);
			CHECK(line <= 4096 && line + width > 4096);
			json_decref(record);
		}
	}
}

static void
escapes_count(void)
{
	/* Characters count by their length in JSON. */
	static const char bytes[] = {'"', '\\', '\n', '\x01'};
	static const size_t lengths[] = {600, 1000, 2500, 4000, 8000};
	for (size_t b = 0; b < sizeof bytes; b++) {
		for (size_t l = 0; l < CHECK_COUNT(lengths); l++) {
			char *text = check_repeat_new(bytes[b], lengths[l]);
			struct event_stream stream = stream_new();
			struct sample sample = full;
			sample.message = text;
			json_t *record = record_new(&stream, &sample);
			check_row("%zu times byte %d", lengths[l], bytes[b]);
			if (CHECK(record != NULL)) {
				const char *message =
					json_string_value(json_object_get(record, "message"));
				size_t length = strlen(message);
				CHECK(line_length(record) <= 4096);
				if (length != lengths[l])
					CHECK_STR(message + length - 3, ELLIPSIS);
			}
			json_decref(record);
			free(text);
		}
	}
}

static void
huge(void)
{
	char *text = check_repeat_new('m', 1 << 20);
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.message = text;
	json_t *record = record_new(&stream, &sample);
	if (CHECK(record != NULL))
		CHECK_INT((int64_t)line_length(record), 4096);
	json_decref(record);
	free(text);
}

static void
no_number_is_lost(void)
{
	/* A text that cannot be cut and is too long gives no record and no gap in the numbers. */
	char *name = check_repeat_new('n', REC_EVENT_MAX_BYTES);
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.device = name;
	CHECK(record_new(&stream, &sample) == NULL);
	CHECK_U64(stream.seq, 0);
	json_t *record = record_new(&stream, &full);
	CHECK_INT(json_integer_value(json_object_get(record, "seq")), 1);
	json_decref(record);
	free(name);
}

static void
card(void)
{
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.port = NULL;
	sample.pci = NULL;
	sample.error_code = NULL;
	sample.device = "0000:a5:00";
	sample.devices = "mlx5_12,mlx5_13";
	json_t *record = record_new(&stream, &sample);
	json_t *metadata = check_json_new("{'role':'compute','devices':'mlx5_12,mlx5_13'}");
	json_t *entities = check_json_new("[{'entityType':'NIC','entityValue':'0000:a5:00'}]");
	CHECK(json_equal(json_object_get(record, "metadata"), metadata));
	CHECK(json_equal(json_object_get(record, "entitiesImpacted"), entities));
	json_decref(metadata);
	json_decref(entities);
	json_decref(record);
}

static void
two_codes(void)
{
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.error_code = "symbol_error";
	sample.error_word = "saturated";
	json_t *record = record_new(&stream, &sample);
	json_t *expected = check_json_new("['symbol_error','saturated']");
	CHECK(json_equal(json_object_get(record, "errorCode"), expected));
	json_decref(expected);
	json_decref(record);
}

static void
oversize_devices(void)
{
	/* Every text as long as allowed, of characters that JSON writes six times as long: the
	 * record fits without the devices. */
	char *node = check_repeat_new('\x01', REC_NODE_MAX_BYTES);
	char *name = check_repeat_new('\x01', 64);
	char *devices = check_repeat_new('\x01', 256);
	char *message = check_repeat_new('\x01', 3000);
	struct event_stream stream;
	event_stream_init(&stream, "ctreval", node, "b", "T", "EXECUTE_REMEDIATION");
	stream.seq = INT64_MAX / 2;
	const struct sample sample = {.check = "InfiniBandDegradationCheck",
		.message = message,
		.error_code = name,
		.error_word = "unreadable",
		.device = name,
		.port = "2147483647",
		.pci = name,
		.role = name,
		.devices = devices,
		.timestamp = name};
	json_t *record = record_new(&stream, &sample);
	if (CHECK(record != NULL)) {
		CHECK(line_length(record) <= 4096);
		CHECK(json_object_get(json_object_get(record, "metadata"), "devices") == NULL);
		CHECK_STR(json_string_value(
				  json_object_get(json_object_get(record, "metadata"), "pci")),
			name);
	}
	json_decref(record);
	free(node);
	free(name);
	free(devices);
	free(message);
}

static void
long_message_keeps_devices(void)
{
	/* A message that is only long is cut; the devices stay. */
	char *devices = check_repeat_new('d', 256), *message = check_repeat_new('m', 9000);
	struct event_stream stream = stream_new();
	struct sample sample = full;
	sample.devices = devices;
	sample.message = message;
	json_t *record = record_new(&stream, &sample);
	CHECK_INT((int64_t)line_length(record), 4096);
	CHECK_STR(
		json_string_value(json_object_get(json_object_get(record, "metadata"), "devices")),
		devices);
	json_decref(record);
	free(devices);
	free(message);
}

static void
restamps(void)
{
	struct event_stream stream = stream_new(), other = stream_new();
	json_t *record = record_new(&stream, &full), *original = json_deep_copy(record);
	char id[60];
	other.seq = 6;
	snprintf(other.source, sizeof other.source, "00000000deadbeef");
	CHECK_INT(event_restamp(&other, record), 0);
	CHECK_U64(other.seq, 7);
	snprintf(id, sizeof id, "00000000deadbeef-7");
	CHECK_STR(json_string_value(json_object_get(record, "id")), id);
	CHECK_STR(json_string_value(json_object_get(record, "source")), "00000000deadbeef");
	CHECK_INT(json_integer_value(json_object_get(record, "seq")), 7);
	/* The other members and their order stay. */
	static const char *const stamped[] = {"id", "source", "seq"};
	for (size_t i = 0; i < CHECK_COUNT(stamped); i++)
		json_object_set(original, stamped[i], json_object_get(record, stamped[i]));
	char *got = json_dumps(record, JSON_COMPACT), *wanted = json_dumps(original, JSON_COMPACT);
	CHECK_STR(got, wanted);
	free(got);
	free(wanted);
	json_decref(original);
	json_decref(record);
}

static void
forks(void)
{
	struct event_stream stream = stream_new(), a = stream, b = stream, later = stream;
	a.seq = b.seq = later.seq = 41;
	event_stream_fork(&a, "T2");
	event_stream_fork(&b, "T2");
	event_stream_fork(&later, "T3");
	/* A replay forks the same way. Another moment gives another stream, and none equals the
	 * original. */
	CHECK_STR(a.source, b.source);
	CHECK(strcmp(a.source, stream.source) != 0);
	CHECK(strcmp(a.source, later.source) != 0);
	CHECK_INT((int64_t)strspn(a.source, "0123456789abcdef"), 16);
	CHECK_INT((int64_t)strlen(a.source), 16);
	CHECK_U64(a.seq, 0);
	/* The stream's other members stay. */
	CHECK_STR(a.node, stream.node);
	CHECK_STR(a.strategy, stream.strategy);
	/* A fork of a fork is another stream, even at the same moment. */
	event_stream_fork(&b, "T2");
	CHECK(strcmp(a.source, b.source) != 0);
	CHECK(strcmp(stream.source, b.source) != 0);
}

static void
renames_node(void)
{
	struct event_stream stream = stream_new();
	event_stream_set_node(&stream, "gpu-43");
	json_t *record = record_new(&stream, &full);
	CHECK_STR(json_string_value(json_object_get(record, "nodeName")), "gpu-43");
	json_decref(record);
	event_stream_set_node(&stream, NULL);
	record = record_new(&stream, &full);
	CHECK(json_is_null(json_object_get(record, "nodeName")));
	CHECK_INT(json_integer_value(json_object_get(record, "seq")), 2);
	json_decref(record);
}

/* Records may come from other programs: malformed members are skipped. */
static void
entities(void)
{
	static const struct {
		const char *record, *nic;
	} rows[] = {
		{"{'entitiesImpacted':[{'entityType':'NIC','entityValue':'a'},{'entityType':'NIC','"
		 "entityValue':'b'}]}",
			"a"},
		{"{'entitiesImpacted':[{'entityType':'NICPort','entityValue':'1'},{'entityType':'"
		 "NIC','entityValue':'b'}]}",
			"b"},
		{"{'entitiesImpacted':[7,{'entityValue':'a'},{'entityType':7},{'entityType':'NIC','"
		 "entityValue':'b'}]}",
			"b"},
		{"{'entitiesImpacted':[{'entityType':'NIC','entityValue':7}]}", NULL},
		{"{'entitiesImpacted':[{'entityType':'NICPort','entityValue':'1'}]}", NULL},
		{"{'entitiesImpacted':{}}", NULL},
		{"{}", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = check_replaced_new(strdup(rows[i].record), "'", "\"");
		json_t *record = json_loads(text, 0, NULL);
		const char *nic = event_entity(record, "NIC");
		check_row("%s", rows[i].record);
		if (rows[i].nic == NULL)
			CHECK(nic == NULL);
		else
			CHECK_STR(nic, rows[i].nic);
		json_decref(record);
		free(text);
	}
}

static void
codes(void)
{
	static const struct {
		const char *record, *code;
	} rows[] = {
		{"{'errorCode':['link_downed','saturated']}", "link_downed"},
		{"{'errorCode':[7,'saturated']}", NULL},
		{"{'errorCode':[]}", NULL},
		{"{'errorCode':'link_downed'}", NULL},
		{"{}", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *record = check_json_new(rows[i].record);
		const char *code = event_code(record);
		check_row("%s", rows[i].record);
		if (rows[i].code == NULL)
			CHECK(code == NULL);
		else
			CHECK_STR(code, rows[i].code);
		json_decref(record);
	}
}

/* --- times --- */

/* Check the times of the stream's next event, observed at `timestamp`: the written one, and the one
 * in metadata. */
static void
check_time(struct event_stream *stream, const char *timestamp, const char *written,
	const char *observed)
{
	struct sample sample = full;
	const char *text = NULL;

	sample.timestamp = timestamp;
	json_t *record = record_new(stream, &sample);
	rec_get_string(record, "generatedTimestamp", &text);
	CHECK_STR(text, written);
	text = NULL;
	rec_get_string(json_object_get(record, "metadata"), "observed", &text);
	CHECK_STR(text, observed);
	json_decref(record);
}

static void
strict_times(void)
{
	struct event_stream stream = stream_new();
	check_time(&stream, "2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.000000Z", NULL);
	check_row("the same moment");
	check_time(&stream, "2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.000001Z", NULL);
	check_time(&stream, "2026-01-02T03:04:05.000001Z", "2026-01-02T03:04:05.000002Z", NULL);
	check_row("later, and unchanged");
	check_time(&stream, "2026-01-02T04:04:06.5+01:00", "2026-01-02T04:04:06.5+01:00", NULL);
	check_row("a little earlier");
	check_time(&stream, "2026-01-02T03:04:05.500001Z", "2026-01-02T03:04:06.500001Z", NULL);
	check_row("a clock that was set back");
	check_time(&stream, "2026-01-02T02:04:06.000000Z", "2026-01-02T03:04:06.500002Z",
		"2026-01-02T02:04:06.000000Z");
	check_row("to the microsecond of a second");
	check_time(&stream, "2026-01-02T03:04:05.500002Z", "2026-01-02T03:04:06.500003Z",
		"2026-01-02T03:04:05.500002Z");
	check_row("no time at all");
	check_time(&stream, "yesterday", "2026-01-02T03:04:06.500004Z", "yesterday");
	check_row("it continues");
	check_time(&stream, "2026-01-02T03:04:07.000000Z", "2026-01-02T03:04:07.000000Z", NULL);
	check_row("in the stream that replaces it");
	event_stream_fork(&stream, "T2");
	check_time(&stream, "2026-01-02T03:04:07.000000Z", "2026-01-02T03:04:07.000001Z", NULL);
}

static void
time_of_what_fits_not(void)
{
	/* A failed write leaves the stream unchanged. */
	struct event_stream stream = stream_new();
	char *check = calloc(1, REC_EVENT_MAX_BYTES + 1);
	struct sample sample = full;
	check_time(&stream, "2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.000000Z", NULL);
	memset(check, 'x', REC_EVENT_MAX_BYTES);
	sample.check = check;
	CHECK(record_new(&stream, &sample) == NULL);
	check_time(&stream, "2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.000001Z", NULL);
	CHECK_U64(stream.seq, 2);
	free(check);
}

static const struct check_test tests[] = {
	{"an event matches the contract's example, field by field", whole},
	{"only fatal events recommend replacing the machine", actions},
	{"absent values are written as empty members", bare},
	{"an event about a device has one entity", device_only},
	{"events are numbered from 1, and their id is source and number", numbering},
	{"a restored stream keeps counting", goes_on},
	{"a stream keeps a node name of the maximum length", keeps_node},
	{"equal inputs give the same source, and any difference another one", sources},
	{"a record of 4096 bytes is whole, and a longer one is cut with an ellipsis",
		longest_whole},
	{"a message is cut between UTF-8 characters, as little as necessary", cut_at_boundary},
	{"a message that is longer in JSON still fits", escapes_count},
	{"a message of a megabyte fits", huge},
	{"a record that cannot be made uses no number", no_number_is_lost},
	{"an event about a card has its address and names its devices", card},
	{"a second error code follows the first", two_codes},
	{"a record of the longest texts fits without its devices", oversize_devices},
	{"a long message is cut before devices are left out", long_message_keeps_devices},
	{"a record moved to another stream changes only its id, source and seq", restamps},
	{"a fork is equal for the same moment, and always another stream", forks},
	{"a node that is renamed keeps its stream", renames_node},
	{"an event is about its first NIC entity, if that has a value", entities},
	{"the code of an event is its first one, if that is a text", codes},
	{"no two events of a stream have the same time, and none goes back, whatever the clock "
	 "does",
		strict_times},
	{"an event that cannot be written uses no time", time_of_what_fits_not},
};
CHECK_MAIN(tests)
