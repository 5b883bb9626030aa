/* exposition - writes metrics as Prometheus' text format or into a metrics page. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "exposition.h"

#include "num.h"
#include "promtext.h"

#include <inttypes.h>

void
exposition_family(
	struct exposition *exposition, const char *name, enum metrics_type type, const char *help)
{
	exposition->family = (struct metrics_family){
		.name = name, .help = help, .type = type, .life = METRICS_ROUND};
	exposition->announced = false;
}

void
exposition_sample(struct exposition *exposition)
{
	strbuf_clear(&exposition->labels);
	promtext_begin_labels(&exposition->labels);
}

void
exposition_label(struct exposition *exposition, const char *key, const char *value)
{
	promtext_add_label(&exposition->labels, key, value);
}

void
exposition_label_integer(struct exposition *exposition, const char *key, int64_t value)
{
	char number[24];
	snprintf(number, sizeof number, "%" PRId64, value);
	exposition_label(exposition, key, number);
}

void
exposition_labels(struct exposition *exposition, const char *labels, size_t length)
{
	strbuf_add(&exposition->labels, labels, length);
}

int
exposition_fini(struct exposition *exposition)
{
	bool is_short = exposition->is_short;
	strbuf_fini(&exposition->labels);
	*exposition = (struct exposition){0};
	return is_short ? -1 : 0;
}

/* --- the text format --- */

static void
announce(struct exposition *exposition)
{
	const struct metrics_family *family = &exposition->family;
	if (exposition->announced)
		return;
	struct strbuf help = {0};
	strbuf_addf(&help, "# HELP %s ", family->name);
	promtext_add_help(&help, family->help);
	strbuf_addf(&help, "\n# TYPE %s %s\n", family->name, promtext_types[family->type]);
	exposition->is_short |= help.is_short;
	if (!help.is_short)
		fputs(help.bytes, exposition->out);
	strbuf_fini(&help);
	exposition->announced = true;
}

/* Write a sample, with its value as text. */
static void
write_sample(struct exposition *exposition, const char *value)
{
	announce(exposition);
	fprintf(exposition->out, "%s%s %s\n", exposition->family.name, exposition->labels.bytes,
		value);
}

/* --- values --- */

/* End the sample's labels. Return false if memory ran out; the caller then skips the sample. */
static bool
end_labels(struct exposition *exposition)
{
	promtext_end_labels(&exposition->labels);
	exposition->is_short |= exposition->labels.is_short;
	return !exposition->labels.is_short;
}

static struct metrics_cell *
find_cell(const struct exposition *exposition)
{
	return metrics_cell_labelled(exposition->metrics, &exposition->family,
		exposition->labels.bytes, exposition->labels.length);
}

void
exposition_value(struct exposition *exposition, unsigned __int128 value)
{
	const uint64_t split = UINT64_C(10000000000000000000);
	char text[48];

	if (!end_labels(exposition))
		return;
	if (exposition->out == NULL && value > UINT64_MAX) {
		metrics_set_real(find_cell(exposition), (double)value);
		return;
	}
	if (exposition->out == NULL) {
		metrics_set(find_cell(exposition), (uint64_t)value);
		return;
	}
	if (value >= split)
		snprintf(text, sizeof text, "%" PRIu64 "%019" PRIu64, (uint64_t)(value / split),
			(uint64_t)(value % split));
	else
		snprintf(text, sizeof text, "%" PRIu64, (uint64_t)value);
	write_sample(exposition, text);
}

void
exposition_value_millionths(struct exposition *exposition, uint64_t value)
{
	char text[48];

	if (!end_labels(exposition))
		return;
	if (exposition->out == NULL) {
		metrics_set_real(find_cell(exposition), (double)value / 1e6);
		return;
	}
	snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, value / 1000000, value % 1000000);
	write_sample(exposition, text);
}

void
exposition_value_real(struct exposition *exposition, double value)
{
	char text[48];

	if (!end_labels(exposition))
		return;
	if (exposition->out == NULL) {
		metrics_set_real(find_cell(exposition), value);
		return;
	}
	snprintf(text, sizeof text, "%.15g", value);
	write_sample(exposition, text);
}
