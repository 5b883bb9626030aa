/* sinkwords - emit's options about sinks, put together from the service's. Pure. */
#ifndef SUPERVISOR_SINKWORDS_H
#define SUPERVISOR_SINKWORDS_H

#include <limits.h>
#include <stddef.h>

#define SINKWORDS_SINKS_MAX 16

/* Each sink and its value, and up to four files with theirs; and the Platform Connector with its token. */
#define SINKWORDS_MAX ((size_t)10 * SINKWORDS_SINKS_MAX + 4)

struct sinkwords {
	const char *words[SINKWORDS_MAX]; /* each option before its value */
	size_t count, sinks;
	char connector[PATH_MAX];    /* "": the Platform Connector was not named */
	const char *connector_token; /* a file; NULL: none */
};

/* Each returns NULL, or why that will not do. Values are kept, not copied; what is wrong with them emit says. */

/* Takes --sink and its value. */
const char *sinkwords_take_sink(struct sinkwords *sinkwords, const char *spec);

/* Takes another option of emit's, which is about the sink before it, and its value. */
const char *sinkwords_take(struct sinkwords *sinkwords, const char *option, const char *value);

/* Takes the value of --platform-connector-socket. */
const char *sinkwords_take_connector(struct sinkwords *sinkwords, const char *target);

/* When all options are known: the Platform Connector becomes the last sink, and at its default place the only one if no other was named. */
const char *sinkwords_finish(struct sinkwords *sinkwords);

#endif
