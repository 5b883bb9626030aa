/* settings - the part of the configuration that is about the service itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include "confdoc.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Add a sink and its options. Return NULL, or the error. */
static const char *
add_sink(struct sinkwords *words, const struct conf_sink *sink)
{
	const char *reason = sinkwords_add_sink(words, sink->spec);
	for (enum conf_sink_option option = 0; option < CONF_SINK_OPTION_N; option++) {
		if (reason == NULL && sink->values[option] != NULL)
			reason = sinkwords_add(
				words, confsinks_option(option), sink->values[option]);
	}
	if (reason == NULL && sink->clear_token)
		reason = sinkwords_add(words, "--clear-token", NULL);
	return reason;
}

const char *
settings_of(struct settings *settings, const struct conf *conf)
{
	const char *reason = NULL;
	*settings = (struct settings){.sinks = &conf->sinks,
		.runbook_url = conf->runbook_url,
		.interval_ns = conf->interval_ns};
	if (conf->interval_ns > 0)
		snprintf(settings->interval, sizeof settings->interval, "%" PRIu64 "ns",
			conf->interval_ns);
	for (size_t i = 0; i < conf->sinks.count && reason == NULL; i++)
		reason = add_sink(&settings->words, &conf->sinks.items[i]);
	return reason;
}

/* Return all of the copy, from malloc; NULL with errno. */
static char *
read_text_new(int fd, size_t *length)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return NULL;
	*length = (size_t)status.st_size;
	char *text = malloc(*length + 1);
	if (text != NULL && pread(fd, text, *length, 0) == (ssize_t)*length)
		return text;
	free(text);
	return NULL;
}

/* The copy was written by confcopy and checked, so any failure is for lack of memory. */
int
settings_read(struct settings *settings, int fd)
{
	size_t length;
	char *text = read_text_new(fd, &length);
	struct conf *conf = calloc(1, sizeof *conf);
	bool is_read = text != NULL && conf != NULL &&
		       conf_parse(conf, "configuration", text, length) == 0;
	free(text);
	*settings = (struct settings){.sinks = NULL};
	if (is_read && settings_of(settings, conf) == NULL) {
		settings->own = conf;
		return 0;
	}
	if (is_read)
		conf_fini(conf);
	free(conf);
	errno = ENOMEM;
	return -1;
}

bool
settings_have_same_sinks(const struct settings *left, const struct settings *right)
{
	static const struct conf_sinks none;
	return confsinks_are_same(left->sinks != NULL ? left->sinks : &none,
		right->sinks != NULL ? right->sinks : &none);
}

bool
settings_have_same_runbooks(const struct settings *left, const struct settings *right)
{
	return strcmp(text_or_empty(left->runbook_url), text_or_empty(right->runbook_url)) == 0;
}

struct service_options
settings_apply(const struct settings *settings, const struct service_options *options)
{
	struct service_options now = *options;
	now.runbook_url = settings->runbook_url;
	if (!now.names_sinks && settings->sinks != NULL && settings->sinks->count > 0) {
		now.sink_words = (const char **)settings->words.words;
		now.sink_word_count = settings->words.count;
	}
	if (!now.names_interval && settings->interval_ns > 0) {
		now.interval = settings->interval;
		now.interval_ns = settings->interval_ns;
	}
	return now;
}

void
settings_fini(struct settings *settings)
{
	if (settings->own != NULL)
		conf_fini(settings->own);
	free(settings->own);
	*settings = (struct settings){.sinks = NULL};
}
