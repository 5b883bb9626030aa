/* stream - a sink that takes lines: standard output, a file, a socket. Each event goes to it at once. */
#ifndef EMIT_STREAM_H
#define EMIT_STREAM_H

#include "batch.h"
#include "transport.h"

#include <stdbool.h>
#include <stdint.h>

struct sink;
struct journal;

struct stream {
	struct transport transport;
	struct batch batch;   /* the lines that are being written */
	size_t index;         /* of them, the one to write next */
	size_t written;       /* bytes of it that are out */
	uint64_t sent;        /* number of the last event that is out */
	bool unreadable;      /* what comes next cannot be read out of the spool at the moment */
	uint64_t unconfirmed; /* events that are out and have not arrived yet */
};

/* Of `sink`, whose spec is set. */
void stream_init(struct sink *sink);
void stream_fini(struct sink *sink);

/* Goes back to the first event that may not have arrived. */
void stream_restart(struct sink *sink);

/* See sink.h. */
void stream_pump(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready);
int stream_waits_for(const struct sink *sink, const struct journal *journal, short *events);
uint64_t stream_wakes_at_ns(const struct sink *sink, uint64_t now_ns);

#endif
