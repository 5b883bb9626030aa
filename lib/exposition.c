/* exposition - families of samples, announced once, with labels and exact numbers: as Prometheus'
 * text format, or into a page of numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "exposition.h"

#include "num.h"

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
	exposition->label_count = 0;
}

void
exposition_label(struct exposition *exposition, const char *key, const char *value)
{
	if (exposition->label_count < EXPOSITION_LABELS_MAX)
		exposition->labels[exposition->label_count++] =
			(struct metrics_label){key, value != NULL ? value : ""};
}

void
exposition_label_integer(struct exposition *exposition, const char *key, int64_t value)
{
	/* Every series of a port has one. */
	if (value >= 0)
		num_format_u64((uint64_t)value, exposition->integer);
	else
		snprintf(exposition->integer, sizeof exposition->integer, "%" PRId64, value);
	exposition_label(exposition, key, exposition->integer);
}

/* --- the text format --- */

/* Backslash and line feed are escaped everywhere, the quote only where there are quotes around
 * it. */
static void
write_escaped(FILE *out, const char *text, bool quoted)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\\' || (*text == '"' && quoted))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void
announce(struct exposition *exposition)
{
	static const char *const types[METRICS_TYPE_N] = {
		[METRICS_COUNTER] = "counter",
		[METRICS_GAUGE] = "gauge",
		[METRICS_HISTOGRAM] = "histogram",
	};
	const struct metrics_family *family = &exposition->family;
	if (exposition->announced)
		return;
	fprintf(exposition->out, "# HELP %s ", family->name);
	write_escaped(exposition->out, family->help, false);
	fprintf(exposition->out, "\n# TYPE %s %s\n", family->name, types[family->type]);
	exposition->announced = true;
}

/* All that stands before the value. */
static FILE *
write_series(struct exposition *exposition)
{
	FILE *out = exposition->out;
	announce(exposition);
	fputs(exposition->family.name, out);
	for (size_t i = 0; i < exposition->label_count; i++) {
		fprintf(out, "%c%s=\"", i == 0 ? '{' : ',', exposition->labels[i].key);
		write_escaped(out, exposition->labels[i].value, true);
		fputc('"', out);
	}
	fputs(exposition->label_count > 0 ? "} " : " ", out);
	return out;
}

/* --- values --- */

static struct metrics_cell *
find_cell(const struct exposition *exposition)
{
	return metrics_cell(exposition->metrics, &exposition->family, exposition->labels,
		exposition->label_count);
}

void
exposition_value(struct exposition *exposition, unsigned __int128 value)
{
	const uint64_t split = UINT64_C(10000000000000000000);
	if (exposition->out == NULL && value > UINT64_MAX)
		metrics_set_real(find_cell(exposition), (double)value);
	else if (exposition->out == NULL)
		metrics_set(find_cell(exposition), (uint64_t)value);
	else if (value >= split)
		fprintf(write_series(exposition), "%" PRIu64 "%019" PRIu64 "\n",
			(uint64_t)(value / split), (uint64_t)(value % split));
	else
		fprintf(write_series(exposition), "%" PRIu64 "\n", (uint64_t)value);
}

void
exposition_value_millionths(struct exposition *exposition, uint64_t value)
{
	if (exposition->out == NULL)
		metrics_set_real(find_cell(exposition), (double)value / 1e6);
	else
		fprintf(write_series(exposition), "%" PRIu64 ".%06" PRIu64 "\n", value / 1000000,
			value % 1000000);
}

void
exposition_value_real(struct exposition *exposition, double value)
{
	if (exposition->out == NULL)
		metrics_set_real(find_cell(exposition), value);
	else
		fprintf(write_series(exposition), "%.15g\n", value);
}
