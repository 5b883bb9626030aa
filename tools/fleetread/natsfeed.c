/* natsfeed - reads the messages of a fabric from a NATS JetStream stream. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "natsfeed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct natsfeed *
of(struct feed *feed)
{
	return (struct natsfeed *)feed;
}

/* First end libnats' thread that reads from the connection: libnats 3.4 may free a subscription
 * that this thread is about to lock. */
static void
close_feed(struct feed *feed)
{
	struct natsfeed *own = of(feed);
	natslib.natsConnection_Close(own->connection);
	natslib.natsSubscription_Destroy(own->subscription);
	natslib.jsCtx_Destroy(own->stream);
	natslib.natsConnection_Destroy(own->connection);
	own->subscription = NULL;
	own->stream = NULL;
	own->connection = NULL;
	own->does_not_tell = false;
}

static bool
look(struct feed *feed)
{
	struct natsfeed *own = of(feed);
	jsStreamInfo *info = NULL;
	const char *name = own->address->stream;
	natsStatus status = natslib.js_GetStreamInfo(&info, own->stream, name, NULL, NULL);
	if (status == NATS_NOT_FOUND)
		return feed_lose(feed, "there is no stream", name);
	if (status != NATS_OK)
		return feed_lose(
			feed, "cannot query the stream", natsdial_words(own->connection, status));
	snprintf(feed->source, sizeof feed->source, "%.40s-%s-%" PRIx64, name, own->address->fabric,
		(uint64_t)info->Created);
	/* NATS says 0 for a stream that never had a message. */
	feed->first = info->State.FirstSeq > 0 ? info->State.FirstSeq : 1;
	feed->last = info->State.LastSeq;
	natslib.jsStreamInfo_Destroy(info);
	return true;
}

static bool
connect_feed(struct feed *feed)
{
	struct natsfeed *own = of(feed);
	char problem[TRUST_PROBLEM_SIZE];
	jsOptions options;
	if (own->connection != NULL)
		return look(feed);
	natsStatus status = natsdial_connect(&own->connection, &own->dial, problem);
	if (status == NATS_OK)
		status = natslib.jsOptions_Init(&options);
	if (status == NATS_OK) {
		options.Wait = (int64_t)own->dial.timeout_ms;
		status = natslib.natsConnection_JetStream(&own->stream, own->connection, &options);
	}
	if (status != NATS_OK)
		return feed_lose(feed, "cannot connect",
			*problem != '\0' ? problem : natsdial_words(own->connection, status));
	return look(feed);
}

static bool
ask(struct feed *feed, uint64_t after)
{
	struct natsfeed *own = of(feed);
	char subject[NATSADDRESS_WORD_SIZE + sizeof "nic..>"];
	jsSubOptions options;
	/* A subscription ends only with its connection, see close_feed(). */
	if (own->subscription != NULL) {
		close_feed(feed);
		if (!connect_feed(feed))
			return false;
	}
	snprintf(subject, sizeof subject, "nic.%s.>", own->address->fabric);
	natsStatus status = natslib.jsSubOptions_Init(&options);
	if (status == NATS_OK) {
		options.Stream = own->address->stream;
		/* libnats requests messages again that arrive out of order. */
		options.Ordered = true;
		options.Config.DeliverPolicy = js_DeliverByStartSequence;
		options.Config.OptStartSeq = after + 1;
		status = natslib.js_SubscribeSync(
			&own->subscription, own->stream, subject, NULL, &options, NULL);
	}
	if (status != NATS_OK)
		return feed_lose(
			feed, "cannot read the stream", natsdial_words(own->connection, status));
	own->received = 0;
	own->read_upto = after;
	feed->is_reading = true;
	return true;
}

static enum feed_status
next(struct feed *feed, uint64_t timeout_ms, struct feed_message *out)
{
	jsMsgMetaData *about = NULL;
	natsMsg *message = NULL;
	natsStatus status = natslib.natsSubscription_NextMsg(
		&message, of(feed)->subscription, (int64_t)timeout_ms);
	if (status == NATS_TIMEOUT)
		return FEED_NOTHING;
	if (status == NATS_OK)
		status = natslib.natsMsg_GetMetaData(&about, message);
	if (status != NATS_OK) {
		natslib.natsMsg_Destroy(message);
		feed_lose(feed, "lost the connection to the stream",
			natsdial_words(of(feed)->connection, status));
		return FEED_LOST;
	}
	struct natsfeed *own = of(feed);
	own->received = about->Sequence.Consumer;
	if (about->Sequence.Stream <= own->read_upto) {
		natslib.jsMsgMetaData_Destroy(about);
		natslib.natsMsg_Destroy(message);
		return FEED_NOTHING;
	}
	own->read_upto = about->Sequence.Stream;
	*out = (struct feed_message){.number = about->Sequence.Stream,
		.upto = about->Sequence.Stream,
		.text = natslib.natsMsg_GetData(message),
		.length = (size_t)natslib.natsMsg_GetDataLength(message),
		.owner = message};
	natslib.jsMsgMetaData_Destroy(about);
	return FEED_MESSAGE;
}

static void
give_back(struct feed_message *message)
{
	natslib.natsMsg_Destroy(message->owner);
}

static bool
is_drained(struct feed *feed)
{
	struct natsfeed *own = of(feed);
	jsConsumerInfo *info = NULL;
	jsOptions options;
	if (own->does_not_tell || natslib.jsOptions_Init(&options) != NATS_OK)
		return false;
	options.Wait = (int64_t)own->dial.timeout_ms;
	if (natslib.natsSubscription_GetConsumerInfo(&info, own->subscription, &options, NULL) !=
		NATS_OK) {
		own->does_not_tell = true;
		return false;
	}
	bool is = info->NumPending == 0 && info->Delivered.Consumer == own->received;
	natslib.jsConsumerInfo_Destroy(info);
	return is;
}

static const struct feed_kind kind = {
	.connect = connect_feed,
	.ask = ask,
	.next = next,
	.give_back = give_back,
	.is_drained = is_drained,
	.close = close_feed,
};

void
natsfeed_init(struct natsfeed *feed, const struct natsdial *dial, const struct natsaddress *address)
{
	*feed = (struct natsfeed){
		.feed = {.kind = &kind, .url = address->url}, .dial = *dial, .address = address};
	snprintf(feed->feed.name, sizeof feed->feed.name, "stream %s", address->stream);
}
