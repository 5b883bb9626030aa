/* exposition - Prometheus' text format: families of samples, announced once, with labels and exact numbers. */
#include "exposition.h"

#include <inttypes.h>

void
exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
	const char *help)
{
	exposition->name = name;
	exposition->type = type;
	exposition->help = help;
	exposition->announced = exposition->labelled = false;
}

/* Backslash and line feed are escaped everywhere, the quote only where there are quotes around it. */
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

void
exposition_sample(struct exposition *exposition)
{
	static const char *const types[] = {
		[EXPOSITION_GAUGE] = "gauge",
		[EXPOSITION_COUNTER] = "counter",
	};
	FILE *out = exposition->out;
	if (!exposition->announced) {
		fprintf(out, "# HELP %s ", exposition->name);
		write_escaped(out, exposition->help, false);
		fprintf(out, "\n# TYPE %s %s\n", exposition->name, types[exposition->type]);
		exposition->announced = true;
	}
	fputs(exposition->name, out);
}

void
exposition_label(struct exposition *exposition, const char *key, const char *value)
{
	FILE *out = exposition->out;
	if (value == NULL || *value == '\0')
		return;
	fprintf(out, "%c%s=\"", exposition->labelled ? ',' : '{', key);
	write_escaped(out, value, true);
	fputc('"', out);
	exposition->labelled = true;
}

/* What stands between the labels and the value. */
static void
end_labels(struct exposition *exposition)
{
	fputs(exposition->labelled ? "} " : " ", exposition->out);
	exposition->labelled = false;
}

void
exposition_value(struct exposition *exposition, unsigned __int128 value)
{
	const uint64_t split = UINT64_C(10000000000000000000);
	end_labels(exposition);
	if (value >= split)
		fprintf(exposition->out, "%" PRIu64 "%019" PRIu64 "\n", (uint64_t)(value / split),
			(uint64_t)(value % split));
	else
		fprintf(exposition->out, "%" PRIu64 "\n", (uint64_t)value);
}

void
exposition_value_millionths(struct exposition *exposition, uint64_t value)
{
	end_labels(exposition);
	fprintf(exposition->out, "%" PRIu64 ".%06" PRIu64 "\n", value / 1000000, value % 1000000);
}

void
exposition_value_real(struct exposition *exposition, double value)
{
	end_labels(exposition);
	fprintf(exposition->out, "%.15g\n", value);
}
