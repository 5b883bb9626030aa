/* sinkwords - emit's options about sinks, put together from the service's. */
#include "sinkwords.h"

#include "connector.h"

const char *
sinkwords_take(struct sinkwords *sinkwords, const char *option, const char *value)
{
	if (sinkwords->count + 2 > SINKWORDS_MAX)
		return "too much about sinks";
	sinkwords->words[sinkwords->count++] = option;
	sinkwords->words[sinkwords->count++] = value;
	return NULL;
}

const char *
sinkwords_take_sink(struct sinkwords *sinkwords, const char *spec)
{
	if (sinkwords->sinks++ == SINKWORDS_SINKS_MAX)
		return "too many sinks";
	return sinkwords_take(sinkwords, "--sink", spec);
}

const char *
sinkwords_take_connector(struct sinkwords *sinkwords, const char *target)
{
	return connector_format_sink(target, sinkwords->connector, sizeof sinkwords->connector);
}

const char *
sinkwords_finish(struct sinkwords *sinkwords)
{
	const char *reason = NULL;
	if (*sinkwords->connector == '\0' && sinkwords->sinks == 0)
		reason = sinkwords_take_connector(sinkwords, CONNECTOR_DEFAULT_TARGET);
	if (*sinkwords->connector == '\0')
		return sinkwords->connector_token == NULL
			       ? NULL
			       : "--platform-connector-token-path needs --platform-connector-socket";
	if (reason == NULL)
		reason = sinkwords_take_sink(sinkwords, sinkwords->connector);
	if (reason == NULL && sinkwords->connector_token != NULL)
		reason = sinkwords_take(sinkwords, "--token-file", sinkwords->connector_token);
	return reason;
}
