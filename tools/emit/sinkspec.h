/* sinkspec - what --sink names, and what the options behind it add. Pure. */
#ifndef EMIT_SINKSPEC_H
#define EMIT_SINKSPEC_H

#include <stdbool.h>

/* Room for a label, with its NUL. */
#define SINK_LABEL_SIZE 256

enum sink_kind {
	/* Streams of lines: each event at once. */
	SINK_STDOUT,
	SINK_FILE,
	SINK_UNIX,
	SINK_TCP,
	/* Requests: events in batches, each answered. */
	SINK_GRPC,
	SINK_WEBHOOK,
	SINK_ALERTMANAGER,
};

struct sink_spec {
	enum sink_kind kind;
	const char *text; /* as given, for messages; also the sink's name in a spool */
	char *path;       /* file, unix, and grpc over a unix socket */
	char *host;       /* tcp, without the brackets of [::1] */
	char *service;    /* tcp: port number */
	char *url;        /* requests: where they go */
	/* What the options behind --sink say, as given; NULL: nothing. */
	const char *ca_file, *cert_file, *key_file, *token_file;
};

/* Parses `text`, which is kept, not copied. NULL, or why it will not do. Free with sink_spec_fini() in both cases. */
const char *sink_spec_parse(struct sink_spec *spec, const char *text);

/* Once all options are known: NULL, or why they do not go together, as a token that would be sent in the clear. */
const char *sink_spec_check(const struct sink_spec *spec);

/* True for a sink that gets events in batches and answers. */
bool sink_spec_takes_requests(const struct sink_spec *spec);

/* What it may be called before everybody: its text in UTF-8, cut when it is long, and of a webhook no more than the host, since what is behind that may be a secret. Two may have the
 * same. */
void sink_spec_label(const struct sink_spec *spec, char label[SINK_LABEL_SIZE]);

void sink_spec_fini(struct sink_spec *spec);

#endif
