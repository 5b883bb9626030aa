/* sinkspec - what --sink names, what the options after it add, and which kinds of sinks there
 * are. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SINKSPEC_H
#define EMIT_SINKSPEC_H

#include "choice.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for a label, with its NUL. */
#define SINK_LABEL_SIZE 256

struct sink_kind;

struct sink_spec {
	const struct sink_kind *kind;
	const char *text; /* as given, without what may not be shown */
	const char *name; /* in a spool: never an address of which something is hidden */
	char *path;       /* file, unix, and grpc over a unix socket */
	char *host;       /* tcp and requests, without the brackets of [::1]; NULL: a unix socket */
	char *service;    /* the same: port number */
	char *url;        /* requests: where they go */
	bool has_tls;     /* the server is who its certificate says */
	char *stream, *fabric; /* nats: the stream's name, and a part of what subjects are called */
	char *database, *user; /* postgresql; NULL: not given */
	/* A webhook's: where it stands, if not on the command line; itself; and the name that it
	 * gives. */
	const char *address_file, *address_variable;
	char *address, *own_name;
	/* What the options after --sink say, as given; NULL: nothing. */
	struct trust_files files;
	const char *server_name; /* in the server's certificate, instead of `host` */
	bool clear_token;        /* the token may go without TLS */
	struct choice choice;    /* which events it gets */
	int starter;             /* of a program: who starts it, see starter.h; 0: none */
};

/* For the kinds: each reads a part of the text into `spec`. NULL, or why it will not do. */
const char *sink_spec_parse_path(struct sink_spec *spec, const char *path);
const char *sink_spec_parse_socket(struct sink_spec *spec, const char *path);
const char *sink_spec_parse_host_and_port(struct sink_spec *spec, const char *address);

/* The same, for http://... or https://...: sets spec->url to it with `path` after it. */
const char *sink_spec_parse_url(
	struct sink_spec *spec, const char *url, const char *path, bool needs_port);

/* The same, for an address of which no more than the host may be shown, which was on the command
 * line or somewhere else: also gives the sink the name that hides the rest. */
const char *sink_spec_set_address(struct sink_spec *spec, const char *address);

/* True for each name that a spool may know it by: before 2026-11-23 that was the address. */
bool sink_spec_is_named(const struct sink_spec *spec, const char *name);

/* Once all options are known: NULL, or why they do not go together, as a token that would be sent
 * in the clear. */
const char *sink_spec_check(const struct sink_spec *spec);

/* True for a sink that gets events in batches and answers. */
bool sink_spec_takes_requests(const struct sink_spec *spec);

/* What it may be called before everybody: its text in UTF-8, cut when it is long, and of a webhook
 * no more than the host, since what is after that may be a secret. Two may have the same. */
void sink_spec_label(const struct sink_spec *spec, char label[SINK_LABEL_SIZE]);

void sink_spec_fini(struct sink_spec *spec);

/* Parses what --sink says: `text`, which is kept, not copied. NULL, or why it will not do, which is
 * valid until the next call. Free with sink_spec_fini() in both cases. */
const char *sink_spec_parse(struct sink_spec *spec, const char *text);

/* --- kinds of sinks --- */

struct journal;
struct request_kind;
struct sink;
struct transport_kind;

/* How a sink works that takes lines (stream.h), or requests (request.h). What each call is for is
 * in sink.h, at the call of the same name. */
struct sink_engine {
	int (*init)(struct sink *sink);
	void (*restart)(struct sink *sink);
	void (*shift)(struct sink *sink, uint64_t by);
	void (*renew)(struct sink *sink); /* NULL: it tells of events only */
	void (*pump)(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready);
	/* NULL: for nothing of its own; the descriptor of requests is everybody's, http_fd() */
	int (*waits_for)(const struct sink *sink, const struct journal *journal, short *events);
	uint64_t (*wakes_at_ns)(
		const struct sink *sink, const struct journal *journal, uint64_t now_ns);
	void (*fini)(struct sink *sink);
};

/* What tells one kind of sink from another, besides how it is written (sinkkinds): one const row
 * for each, beside what it does. sinkspec.c names them all; nothing else knows a kind. */
struct sink_kind {
	/* Reads what stands after the scheme into `spec`, whose text and kind are set. NULL, or
	 * why it will not do. */
	const char *(*parse)(struct sink_spec *spec, const char *rest);
	bool hides_address; /* what is after the host may be a secret */
	bool needs_spool;   /* it is told of what stands */
	bool is_program;    /* it is one, which somebody else has to start */
	bool counts;        /* events have been sent when they are here, whatever others have */
	const struct sink_engine *engine;
	/* Of these two, the one that its engine needs. */
	const struct transport_kind *transport;
	const struct request_kind *request;
};

extern const struct sink_kind sink_stdout, sink_file, sink_journal, sink_unix, sink_tcp, sink_grpc,
	sink_alertmanager, sink_nats, sink_postgres, sink_webhook, sink_exec;

#endif
