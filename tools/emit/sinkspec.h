/* sinkspec - what --sink names: `-`, `file:PATH`, `unix:PATH`, `tcp:HOST:PORT`. Pure. */
#ifndef EMIT_SINKSPEC_H
#define EMIT_SINKSPEC_H

enum sink_kind { SINK_STDOUT, SINK_FILE, SINK_UNIX, SINK_TCP };

struct sink_spec {
	enum sink_kind kind;
	const char *text; /* as given, for messages */
	char *path;       /* file and unix */
	char *host;       /* tcp, without the brackets of [::1] */
	char *service;    /* tcp: port number */
};

/* Parses `text`, which is kept, not copied. NULL, or why it will not do. Free with sink_spec_fini() in both cases. */
const char *sink_spec_parse(struct sink_spec *spec, const char *text);

void sink_spec_fini(struct sink_spec *spec);

#endif
