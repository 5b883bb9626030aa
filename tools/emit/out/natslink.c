/* natslink - publishes messages to a NATS JetStream stream in a thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "natslink.h"

#include "array.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most unacknowledged messages. */
#define PENDING_MAX 4096

/* The server's error for an id that is too long for a header, which libnats does not name. */
#define HEADER_EXCEEDS_MAXIMUM 10097

struct message {
	char *subject, *id, *text; /* one allocation, which begins at `subject` */
	int length;
};

struct natslink {
	struct natsdial dial;
	const char *stream_name;
	struct courier courier;
	struct message *messages;
	size_t count, capacity;
	/* Only for the thread while a round is running. */
	natsConnection *connection;
	jsCtx *stream;
};

/* --- in the thread --- */

static void
note_status(struct natslink *link, natsStatus status, const char *what)
{
	const char *detail = natsdial_words(link->connection, status);
	courier_note(&link->courier, status == NATS_MAX_PAYLOAD ? VERDICT_REFUSED : VERDICT_RETRY,
		what, detail);
}

/* Return true if the server will never store the message. */
static bool
is_about_message(const jsPubAckErr *error)
{
	return error->ErrCode == JSStreamMessageExceedsMaximumErr ||
	       (int)error->ErrCode == HEADER_EXCEEDS_MAXIMUM;
}

/* Callback per acknowledgement, in a thread of libnats. */
static void
handle_answer(jsCtx *stream, natsMsg *message, jsPubAck *answer, jsPubAckErr *error, void *context)
{
	struct natslink *link = context;
	(void)stream;
	(void)answer;
	if (error != NULL && error->Err == NATS_NO_RESPONDERS)
		courier_note(&link->courier, VERDICT_RETRY, "no stream takes the subject",
			natslib.natsMsg_GetSubject(message));
	else if (error != NULL)
		courier_note(&link->courier,
			is_about_message(error) ? VERDICT_REFUSED : VERDICT_RETRY, "not stored",
			error->ErrText != NULL ? error->ErrText
					       : natslib.natsStatus_GetText(error->Err));
	natslib.natsMsg_Destroy(message);
}

/* First end libnats' thread that reads from the connection: libnats 3.4 may free the subscription
 * of the stream's context while that thread is about to lock it. */
static void
disconnect(struct natslink *link)
{
	natslib.natsConnection_Close(link->connection);
	natslib.jsCtx_Destroy(link->stream);
	natslib.natsConnection_Destroy(link->connection);
	link->stream = NULL;
	link->connection = NULL;
}

static bool
connect_to_server(struct natslink *link)
{
	char problem[TRUST_PROBLEM_SIZE];
	jsOptions stream;
	if (link->connection != NULL && !natslib.natsConnection_IsClosed(link->connection))
		return true;
	disconnect(link);
	natsStatus status = natsdial_connect(&link->connection, &link->dial, problem);
	if (status == NATS_OK)
		status = natslib.jsOptions_Init(&stream);
	if (status == NATS_OK) {
		stream.PublishAsync.MaxPending = PENDING_MAX;
		stream.PublishAsync.AckHandler = handle_answer;
		stream.PublishAsync.AckHandlerClosure = link;
		status = natslib.natsConnection_JetStream(&link->stream, link->connection, &stream);
	}
	if (*problem != '\0')
		courier_note(&link->courier, VERDICT_RETRY, problem, NULL);
	else if (status != NATS_OK)
		note_status(link, status, "cannot connect");
	return status == NATS_OK;
}

static bool
publish(struct natslink *link, const struct message *message)
{
	jsPubOptions options;
	natsMsg *out = NULL;
	natsStatus status = natslib.natsMsg_Create(
		&out, message->subject, NULL, message->text, message->length);
	if (status == NATS_OK)
		status = natslib.jsPubOptions_Init(&options);
	if (status == NATS_OK) {
		options.MsgId = message->id;
		options.ExpectStream = link->stream_name;
		status = natslib.js_PublishMsgAsync(link->stream, &out, &options);
	}
	natslib.natsMsg_Destroy(out);
	if (status != NATS_OK)
		note_status(link, status, "cannot publish");
	return status == NATS_OK;
}

static void
wait_for_answers(struct natslink *link)
{
	jsPubOptions options;
	natsStatus status = natslib.jsPubOptions_Init(&options);
	options.MaxWait = (int64_t)link->dial.timeout_ms;
	if (status == NATS_OK)
		status = natslib.js_PublishAsyncComplete(link->stream, &options);
	if (status != NATS_OK)
		note_status(link, status, "no answer");
}

static void
run_round(void *context)
{
	struct natslink *link = context;
	if (connect_to_server(link)) {
		bool all = true;
		for (size_t i = 0; i < link->count && all; i++)
			all = publish(link, &link->messages[i]);
		if (all)
			wait_for_answers(link);
	}
	if (courier_failed(&link->courier))
		disconnect(link);
	natslib.nats_ReleaseThreadMemory();
}

/* --- for the loop --- */

struct natslink *
natslink_new(const struct natsdial *dial, const char *stream)
{
	struct natslink *link = calloc(1, sizeof *link);
	if (link == NULL)
		return NULL;
	link->dial = *dial;
	link->stream_name = stream;
	if (courier_init(&link->courier) < 0) {
		free(link);
		return NULL;
	}
	return link;
}

void
natslink_clear(struct natslink *link)
{
	for (size_t i = 0; i < link->count; i++)
		free(link->messages[i].subject);
	link->count = 0;
}

int
natslink_add(
	struct natslink *link, const char *subject, const char *id, const char *text, size_t length)
{
	struct message *messages =
		array_grown(link->messages, link->count, &link->capacity, sizeof *link->messages);
	if (messages == NULL)
		return -1;
	link->messages = messages;
	size_t subject_size = strlen(subject) + 1, id_size = strlen(id) + 1;
	char *copy = length <= INT_MAX ? malloc(subject_size + id_size + length) : NULL;
	if (copy == NULL)
		return -1;
	messages[link->count++] = (struct message){.subject = memcpy(copy, subject, subject_size),
		.id = memcpy(copy + subject_size, id, id_size),
		.text = memcpy(copy + subject_size + id_size, text, length),
		.length = (int)length};
	return 0;
}

void
natslink_begin(struct natslink *link)
{
	courier_begin(&link->courier, run_round, link);
}

struct courier *
natslink_courier(struct natslink *link)
{
	return &link->courier;
}

void
natslink_free(struct natslink *link)
{
	if (link == NULL || courier_is_busy(&link->courier))
		return;
	courier_fini(&link->courier);
	natslink_clear(link);
	disconnect(link);
	free(link->messages);
	free(link);
}
