/* confprint - prints the rules in force as a configuration, for --check-config. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "num.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

/* Return true for characters that YAML cannot hold unescaped: controls and non-characters, which
 * parsers reject (YAML 1.1 section 5.1), and YAML's own line breaks, which they fold into
 * spaces. */
static bool
needs_escape(unsigned character)
{
	return character < 0x20 || (character >= 0x7f && character <= 0x9f) ||
	       character == 0x2028 || character == 0x2029 || character == 0xfeff ||
	       character == 0xfffe || character == 0xffff;
}

/* Print the inside of a double-quoted YAML scalar, which can express any text. */
static void
print_quoted(FILE *out, const char *text)
{
	size_t width;
	for (size_t left = strlen(text); left > 0; text += width, left -= width) {
		const unsigned char *c = (const unsigned char *)text;
		unsigned character = *c;

		width = utf8_char(text, left);
		if (width == 0)
			width = 1; /* conf accepts no invalid UTF-8 */
		else if (width == 2)
			character = (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
		else if (width == 3)
			character = (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
		if (character == '"' || character == '\\')
			fprintf(out, "\\%c", *text);
		else if (width < 4 && needs_escape(character))
			fprintf(out, character > 0xff ? "\\u%04x" : "\\x%02x", character);
		else
			fwrite(text, 1, width, out);
	}
}

static void
print_text(FILE *out, const char *text)
{
	putc('"', out);
	print_quoted(out, text);
	putc('"', out);
}

static void
print_path(FILE *out, const struct counter_def *def)
{
	putc('"', out);
	fputs(counter_group_path(def->group), out);
	/* sysfs_is_name() accepts any file name, also with quotes. */
	print_quoted(out, def->file);
	putc('"', out);
}

static const char *
yes_no(bool value)
{
	return value ? "true" : "false";
}

/* Print six digits, or more if needed to parse as the same number. */
static void
print_threshold(FILE *out, double value)
{
	char text[40];
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		double again;
		if (num_parse_double(text, &again) == NUM_OK && again == value)
			break;
	}
	fputs(text, out);
}

static void
print_counter(FILE *out, const struct counter_def *def)
{
	fputs("    - name: ", out);
	print_text(out, def->name);
	fputs("\n      path: ", out);
	print_path(out, def);
	fprintf(out, "\n      enabled: %s\n      isFatal: %s\n", yes_no(def->enabled),
		yes_no(def->fatal));
	fprintf(out, "      thresholdType: %s\n      threshold: ", counter_types[def->type]);
	print_threshold(out, def->threshold);
	if (def->type == COUNTER_VELOCITY)
		fprintf(out, "\n      velocityUnit: %s\n      earlyBreach: %s",
			counter_units[def->unit], yes_no(def->early_breach));
	fputs("\n      description: ", out);
	print_text(out, def->description);
	putc('\n', out);
}

static void
print_pattern(FILE *out, enum logpattern pattern, const struct conf_pattern *setting)
{
	fputs("    - name: ", out);
	print_text(out, logpattern_name(pattern));
	fprintf(out, "\n      enabled: %s\n", yes_no(setting->enabled));
	if (setting->strategy != NULL)
		fprintf(out, "      processingStrategy: %s\n", setting->strategy);
}

/* Print a duration in the longest unit that expresses it exactly. */
static void
print_duration(FILE *out, uint64_t duration_ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{NUM_NS_PER_S, "s"}, {NUM_NS_PER_MS, "ms"}, {NUM_NS_PER_US, "us"}, {1, "ns"}};
	size_t unit = 0;
	while (duration_ns % units[unit].ns != 0)
		unit++;
	fprintf(out, "%" PRIu64 "%s\n", duration_ns / units[unit].ns, units[unit].name);
}

static void
print_class_path(FILE *out, const char *key, const char *root, const char *class)
{
	if (root == NULL)
		return;
	fprintf(out, "%s: \"", key);
	print_quoted(out, root);
	fprintf(out, "%s\"\n", class);
}

static void
print_vendors(FILE *out, const bool acts_on[VENDOR_N])
{
	const char *before = "vendors: [";
	for (enum vendor vendor = 0; vendor < VENDOR_N; vendor++) {
		if (!acts_on[vendor])
			continue;
		fprintf(out, "%s%s", before, vendor_names[vendor]);
		before = ", ";
	}
	fputs(*before == ',' ? "]\n" : "vendors: []\n", out);
}

static void
print_sinks(FILE *out, const struct conf_sinks *sinks)
{
	if (sinks->count > 0)
		fputs("sinks:\n", out);
	for (size_t i = 0; i < sinks->count; i++) {
		const struct conf_sink *sink = &sinks->items[i];
		fputs("  - sink: ", out);
		print_text(out, sink->spec);
		putc('\n', out);
		for (enum conf_sink_option option = 0; option < CONF_SINK_OPTION_N; option++) {
			if (sink->values[option] == NULL)
				continue;
			fprintf(out, "    %s: ", confsinks_key(option));
			print_text(out, sink->values[option]);
			putc('\n', out);
		}
		if (sink->clear_token)
			fputs("    clearToken: true\n", out);
	}
}

int
conf_print(const struct conf *conf, FILE *out)
{
	fputs("nicExclusionRegex: ", out);
	print_text(out, conf->exclusion_text);
	fputs("\nnicInclusionRegexOverride: ", out);
	print_text(out, conf->inclusion_text);
	putc('\n', out);
	print_vendors(out, conf->acts_on);
	print_sinks(out, &conf->sinks);
	if (conf->runbook_url != NULL) {
		fputs("runbookUrl: ", out);
		print_text(out, conf->runbook_url);
		putc('\n', out);
	}
	if (conf->interval_ns > 0) {
		fputs("interval: ", out);
		print_duration(out, conf->interval_ns);
	}
	fputs("bootGrace: ", out);
	print_duration(out, conf->boot_grace_ns);
	fprintf(out, "counterDetection:\n  enabled: %s\n  counters:\n",
		yes_no(conf->counter_detection));
	for (size_t i = 0; i < conf->counters.count; i++)
		print_counter(out, &conf->counters.items[i]);
	fputs("nicDriverDetection:\n  patterns:\n", out);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		print_pattern(out, pattern, &conf->patterns[pattern]);
	fprintf(out, "fatalCounterCheck: %s\n",
		conf->fatal_counters_as_degradation ? "degradation" : "state");
	fprintf(out, "homogeneity:\n  settleSeconds: %u\n", conf->settle_seconds);
	fprintf(out,
		"disappearance:\n  confirmScans: %u\n  driverReloadGrace: ", conf->confirm_scans);
	print_duration(out, conf->driver_reload_grace_ns);
	fprintf(out, "baseline:\n  clearCheck: %s\n", yes_no(conf->clear_check));
	fprintf(out, "charDeviceCheck:\n  issm: %s\n", conf->issm_always ? "always" : "never");
	fputs("stateCheck:\n  portStateHoldDown: ", out);
	print_duration(out, conf->port_hold_down_ns);
	print_class_path(out, "sysClassInfinibandPath", conf->sysfs_root, "/class/infiniband");
	print_class_path(out, "sysClassNetPath", conf->sysfs_root, "/class/net");
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
