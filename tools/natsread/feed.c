/* feed - the messages of a fabric in a stream of NATS JetStream. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <stdio.h>
#include <string.h>

void
feed_init(struct feed *feed, const struct natsdial *dial, const struct natsaddress *address)
{
	*feed = (struct feed){.dial = *dial, .address = address};
}

static void
unsubscribe(struct feed *feed)
{
	natsSubscription_Destroy(feed->subscription);
	feed->subscription = NULL;
}

void
feed_close(struct feed *feed)
{
	unsubscribe(feed);
	jsCtx_Destroy(feed->stream);
	natsConnection_Destroy(feed->connection);
	feed->stream = NULL;
	feed->connection = NULL;
}

static bool
lose(struct feed *feed, const char *what, const char *why)
{
	snprintf(feed->reason, sizeof feed->reason, "%s: %s", what, why);
	feed_close(feed);
	return false;
}

static bool
look_at_stream(struct feed *feed)
{
	jsStreamInfo *info = NULL;
	const char *name = feed->address->stream;
	natsStatus status = js_GetStreamInfo(&info, feed->stream, name, NULL, NULL);
	if (status == NATS_NOT_FOUND)
		return lose(feed, "there is no stream", name);
	if (status != NATS_OK)
		return lose(feed, "cannot look at the stream", natsdial_words(status));
	feed->created_ns = (uint64_t)info->Created;
	feed->first = info->State.FirstSeq;
	feed->last = info->State.LastSeq;
	jsStreamInfo_Destroy(info);
	return true;
}

bool
feed_connect(struct feed *feed)
{
	char problem[TRUST_PROBLEM_SIZE];
	jsOptions options;
	if (feed->connection != NULL)
		return look_at_stream(feed);
	natsStatus status = natsdial_connect(&feed->connection, &feed->dial, problem);
	if (status == NATS_OK)
		status = jsOptions_Init(&options);
	if (status == NATS_OK) {
		options.Wait = (int64_t)feed->dial.timeout_ms;
		status = natsConnection_JetStream(&feed->stream, feed->connection, &options);
	}
	if (status != NATS_OK)
		return lose(feed, "cannot connect",
			*problem != '\0' ? problem : natsdial_words(status));
	return look_at_stream(feed);
}

bool
feed_ask(struct feed *feed, uint64_t after)
{
	char subject[NATSADDRESS_WORD_SIZE + sizeof "nic..>"];
	jsSubOptions options;
	unsubscribe(feed);
	snprintf(subject, sizeof subject, "nic.%s.>", feed->address->fabric);
	natsStatus status = jsSubOptions_Init(&options);
	if (status == NATS_OK) {
		options.Stream = feed->address->stream;
		/* What comes out of turn is asked for anew, by libnats. */
		options.Ordered = true;
		options.Config.DeliverPolicy = js_DeliverByStartSequence;
		options.Config.OptStartSeq = after + 1;
		status = js_SubscribeSync(
			&feed->subscription, feed->stream, subject, NULL, &options, NULL);
	}
	if (status != NATS_OK)
		return lose(feed, "cannot read the stream", natsdial_words(status));
	return true;
}

enum feed_status
feed_next(struct feed *feed, uint64_t timeout_ms, struct feed_message *out)
{
	jsMsgMetaData *about = NULL;
	natsMsg *message = NULL;
	natsStatus status =
		natsSubscription_NextMsg(&message, feed->subscription, (int64_t)timeout_ms);
	if (status == NATS_TIMEOUT)
		return FEED_NOTHING;
	if (status == NATS_OK)
		status = natsMsg_GetMetaData(&about, message);
	if (status != NATS_OK) {
		natsMsg_Destroy(message);
		lose(feed, "lost the stream", natsdial_words(status));
		return FEED_LOST;
	}
	*out = (struct feed_message){.number = about->Sequence.Stream,
		.text = natsMsg_GetData(message),
		.length = (size_t)natsMsg_GetDataLength(message),
		.owner = message};
	jsMsgMetaData_Destroy(about);
	return FEED_MESSAGE;
}

void
feed_give_back(struct feed_message *message)
{
	natsMsg_Destroy(message->owner);
	message->owner = NULL;
}
