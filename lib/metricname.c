/* metricname - the metric name of a counter. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metricname.h"

#include "array.h"
#include "hash.h"
#include "text.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* File names are cut to this length, far above any counter's: the kernel's are below 40. */
#define WORDS_MAX 120

static bool
is_among(const char *word, const char *const *list, size_t count)
{
	return words_find(list, count, word) < count;
}

/* --- words: the file's name in snake_case --- */

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Return true if a word begins at `at`, which is not the first character: ip4InOctets is ip4 in
 * octets, RxECNMrkd is rx ecn mrkd. */
static bool
begins_word(const char *at)
{
	if (!is_upper(*at))
		return false;
	return is_lower(at[-1]) || text_is_digit(at[-1]) || (is_upper(at[-1]) && is_lower(at[1]));
}

/* Write the words of `file` in lower case with one `_` between them; any character but a letter or
 * digit separates. */
static void
split_words(const char *file, char out[WORDS_MAX + 1])
{
	size_t length = 0;
	bool pending = false;
	for (const char *at = file; *at != '\0' && length < WORDS_MAX - 1; at++) {
		if (!is_upper(*at) && !is_lower(*at) && !text_is_digit(*at)) {
			pending = true;
			continue;
		}
		if (length > 0 && (pending || begins_word(at)))
			out[length++] = '_';
		pending = false;
		out[length++] = (char)(is_upper(*at) ? *at - 'A' + 'a' : *at);
	}
	out[length] = '\0';
	if (length == 0)
		strcpy(out, "unnamed");
}

/* metricname_format() appends `_total` itself. */
static void
drop_total(char *words)
{
	size_t length = strlen(words);
	if (length > strlen("_total") && strcmp(words + length - strlen("_total"), "_total") == 0)
		words[length - strlen("_total")] = '\0';
}

/* All names have the prefix nic_port_. A file named only `port` keeps its name. */
static void
drop_port(char *words)
{
	while (text_has_prefix(words, "port_"))
		memmove(words, words + strlen("port_"), strlen(words) - strlen("port_") + 1);
}

/* --- words that promtool rejects in a name --- */

static bool
is_base_unit(const char *word)
{
	static const char *const units[] = {"amperes", "bytes", "celsius", "grams", "joules",
		"kelvin", "meters", "metres", "seconds", "volts"};
	return is_among(word, units, ARRAY_COUNT(units));
}

static bool
is_other_unit(const char *word)
{
	static const char *const units[] = {"minutes", "hours", "days", "weeks", "kelvins",
		"fahrenheit", "rankine", "inches", "yards", "miles", "bits", "calories", "pounds",
		"ounces"};
	return is_among(word, units, ARRAY_COUNT(units));
}

/* Return true for a prefix and a unit, such as milliseconds. */
static bool
is_scaled_unit(const char *word)
{
	static const char *const prefixes[] = {"pico", "nano", "micro", "milli", "centi", "deci",
		"deca", "hecto", "kilo", "kibi", "mega", "mebi", "mibi", "giga", "gibi", "tera",
		"tebi", "peta", "pebi"};
	for (size_t i = 0; i < ARRAY_COUNT(prefixes); i++) {
		size_t length = strlen(prefixes[i]);
		if (strncmp(word, prefixes[i], length) == 0 &&
			(is_base_unit(word + length) || is_other_unit(word + length)))
			return true;
	}
	return false;
}

static bool
is_refused(const char *word)
{
	static const char *const abbreviations[] = {
		"s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d"};
	static const char *const types[] = {"counter", "gauge", "summary", "histogram"};
	return is_among(word, abbreviations, ARRAY_COUNT(abbreviations)) ||
	       is_among(word, types, ARRAY_COUNT(types)) || is_other_unit(word) ||
	       is_scaled_unit(word);
}

/* Append a word. Join a refused one to the previous word: the counter's real unit is unknown, and
 * converting its value would be a guess. */
static void
append_word(char *name, const char *word, size_t length)
{
	size_t end = strlen(name);
	name[end++] = '_';
	memcpy(name + end, word, length);
	name[end + length] = '\0';

	char *last = strrchr(name, '_');
	while (last != NULL && is_refused(last + 1)) {
		memmove(last, last + 1, strlen(last));
		last = strrchr(name, '_');
	}
}

static void
append_words(char *name, const char *words)
{
	while (*words != '\0') {
		size_t length = strcspn(words, "_");
		append_word(name, words, length);
		words += length + (words[length] == '_' ? 1 : 0);
	}
}

/* --- the group that a name belongs to --- */

/* Counters that every port has in counters/, from its PortCounters attribute
 * (drivers/infiniband/core/sysfs.c); without `port_`, which drop_port() removes. */
static const char *const port_names[] = {"symbol_error", "link_error_recovery", "link_downed",
	"rcv_errors", "rcv_remote_physical_errors", "rcv_switch_relay_errors", "xmit_discards",
	"xmit_constraint_errors", "rcv_constraint_errors", "local_link_integrity_errors",
	"excessive_buffer_overrun_errors", "vl15_dropped", "xmit_data", "rcv_data", "xmit_packets",
	"rcv_packets", "xmit_wait", "unicast_rcv_packets", "unicast_xmit_packets",
	"multicast_rcv_packets", "multicast_xmit_packets"};

/* Counters that every network interface has (net/core/net-sysfs.c). */
static const char *const interface_names[] = {"rx_packets", "tx_packets", "rx_bytes", "tx_bytes",
	"rx_errors", "tx_errors", "rx_dropped", "tx_dropped", "multicast", "collisions",
	"rx_length_errors", "rx_over_errors", "rx_crc_errors", "rx_frame_errors", "rx_fifo_errors",
	"rx_missed_errors", "tx_aborted_errors", "tx_carrier_errors", "tx_fifo_errors",
	"tx_heartbeat_errors", "tx_window_errors", "rx_compressed", "tx_compressed", "rx_nohandler",
	"carrier_changes", "carrier_up_count", "carrier_down_count"};

static bool
is_of_another_group(enum counter_group group, const char *words)
{
	bool of_interface = group == COUNTER_STATISTICS || group == COUNTER_INTERFACE;
	return (group != COUNTER_PORT && is_among(words, port_names, ARRAY_COUNT(port_names))) ||
	       (!of_interface && is_among(words, interface_names, ARRAY_COUNT(interface_names)));
}

static const char *const prefixes[COUNTER_GROUP_N] = {[COUNTER_PORT] = "counters",
	[COUNTER_HW] = "hw",
	[COUNTER_DEVICE_HW] = "device",
	[COUNTER_STATISTICS] = "net",
	[COUNTER_INTERFACE] = "net"};

static void
build(const char *prefix, const char *words, char out[METRICNAME_SIZE])
{
	strcpy(out, "nic_port");
	append_words(out, prefix);
	append_words(out, words);
}

void
metricname_format(
	enum counter_group group, const char *file, unsigned attempt, char out[METRICNAME_SIZE])
{
	char words[WORDS_MAX + 1];
	split_words(file, words);
	drop_total(words);
	drop_port(words);

	bool prefixed =
		attempt > 0 || strcmp(words, "port") == 0 || is_of_another_group(group, words);
	build(prefixed ? prefixes[group] : "", words, out);
	/* A refused first word must not be joined to nic_port. */
	if (!text_has_prefix(out, "nic_port_"))
		build(prefixes[group], words, out);

	if (attempt > 1) {
		uint64_t hash = hash_bytes(HASH_START, &attempt, sizeof attempt);
		hash = hash_bytes(hash, file, strlen(file));
		char suffix[20];
		snprintf(suffix, sizeof suffix, "x%08" PRIx32, (uint32_t)(hash ^ hash >> 32));
		append_words(out, suffix);
	}
	strcat(out, "_total");
}
