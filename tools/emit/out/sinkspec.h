/* sinkspec - parses --sink and the options after it; lists the kinds of sinks. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SINKSPEC_H
#define EMIT_SINKSPEC_H

#include "choice.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

/* Size of a label, with its NUL. */
#define SINK_LABEL_SIZE 256

struct sink_kind;

struct sink_spec {
	const struct sink_kind *kind;
	const char *text; /* as given, without secret parts */
	const char *name; /* in the spool: never an address with hidden parts */
	char *path;       /* file, unix, and grpc over a Unix socket */
	char *host;       /* tcp and requests, without the brackets of [::1]; NULL: a Unix socket */
	char *service;    /* port number of `host` */
	char *url;        /* requests: the URL */
	bool has_tls;     /* verify the name in the server's certificate */
	char *stream, *fabric; /* nats: name of the stream; part of the subjects */
	char *database, *user; /* postgresql; NULL: not given */
	/* Webhook: where its address is, if not on the command line; the address; and the name
	 * derived from it. */
	const char *address_file, *address_variable;
	char *address, *own_name;
	/* Options after --sink, as given; NULL: none. */
	struct trust_files files;
	const char *server_name; /* name in the server's certificate, instead of `host` */
	bool clear_token;        /* send the token without TLS, too */
	struct choice choice;    /* which events the sink gets */
	int starter;             /* descriptor of a program's starter, see starter.h; 0: none */
};

/* For the kinds: parse a part of the text into `spec`. Return NULL or the reason why it is
 * invalid. */
const char *sink_spec_parse_path(struct sink_spec *spec, const char *path);
const char *sink_spec_parse_socket(struct sink_spec *spec, const char *path);
const char *sink_spec_parse_host_and_port(struct sink_spec *spec, const char *address);

/* The same for http://... or https://...: set spec->url to it, with `path` appended. */
const char *sink_spec_parse_url(
	struct sink_spec *spec, const char *url, const char *path, bool needs_port);

/* The same for an address of which only the host may be shown, from the command line or elsewhere.
 * Also sets spec->own_name, which hides the rest. */
const char *sink_spec_set_address(struct sink_spec *spec, const char *address);

/* Return true if a spool may know the sink by `name`: before 2026-11-23 that was the address. */
bool sink_spec_is_named(const struct sink_spec *spec, const char *name);

/* Call it after all options: return NULL, or the reason why they conflict, such as a token without
 * TLS. */
const char *sink_spec_check(const struct sink_spec *spec);

/* Return true for a sink that sends batches and reads a response. */
bool sink_spec_takes_requests(const struct sink_spec *spec);

/* Write the public name of the sink: its text in UTF-8, cut if too long; of a webhook only up to
 * the host, because the rest may be a secret. Labels need not be unique. */
void sink_spec_label(const struct sink_spec *spec, char label[SINK_LABEL_SIZE]);

void sink_spec_fini(struct sink_spec *spec);

/* Parse the value of --sink: `text` is kept, not copied. Return NULL, or the reason why it is
 * invalid, valid until the next call. Call sink_spec_fini() in both cases. */
const char *sink_spec_parse(struct sink_spec *spec, const char *text);

/* --- kinds of sinks --- */

struct journal;
struct request_kind;
struct sink;
struct transport_kind;

/* Engine of the sinks that write lines (stream.h) or send requests (request.h). For each member see
 * the function of the same name in sink.h. */
struct sink_engine {
	int (*init)(struct sink *sink);
	void (*restart)(struct sink *sink);
	void (*shift)(struct sink *sink, uint64_t by);
	void (*renew)(struct sink *sink); /* NULL: it sends events only */
	void (*pump)(struct sink *sink, struct journal *journal, uint64_t now_ns, bool ready);
	/* NULL: nothing of its own; requests over HTTP share http_fd() */
	int (*waits_for)(const struct sink *sink, const struct journal *journal, short *events);
	uint64_t (*wakes_at_ns)(
		const struct sink *sink, const struct journal *journal, uint64_t now_ns);
	void (*fini)(struct sink *sink);
};

/* A kind of sink, apart from its syntax (sinkkinds): one const object per kind, in the kind's file.
 * sinkspec.c lists them all; no other code depends on a kind. */
struct sink_kind {
	/* Parse the text after the scheme into `spec`, whose text and kind are set. Return NULL or
	 * the reason why it is invalid. */
	const char *(*parse)(struct sink_spec *spec, const char *rest);
	bool hides_address; /* the part after the host may be a secret */
	bool needs_spool;   /* it sends standing conditions */
	bool is_program;    /* run by a starter process */
	bool counts;        /* an event counts as sent when this sink has it */
	const struct sink_engine *engine;
	/* The engine uses one of these. */
	const struct transport_kind *transport;
	const struct request_kind *request;
};

extern const struct sink_kind sink_stdout, sink_file, sink_journal, sink_unix, sink_tcp, sink_grpc,
	sink_alertmanager, sink_nats, sink_postgres, sink_webhook, sink_exec;

#endif
