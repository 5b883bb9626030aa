/* natslib - loads libnats' functions at run time, only if a NATS server is configured: not every
 * node has libnats. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSLIB_H
#define EMIT_NATSLIB_H

#include "library.h"

#include <nats/nats.h>

#define NATSLIB_CALLS(X) \
	X(jsConsumerInfo_Destroy) \
	X(jsCtx_Destroy) \
	X(jsMsgMetaData_Destroy) \
	X(jsOptions_Init) \
	X(jsPubOptions_Init) \
	X(jsStreamConfig_Init) \
	X(jsStreamInfo_Destroy) \
	X(jsSubOptions_Init) \
	X(js_AddStream) \
	X(js_GetStreamInfo) \
	X(js_PublishAsyncComplete) \
	X(js_PublishMsgAsync) \
	X(js_SubscribeSync) \
	X(js_UpdateStream) \
	X(natsConnection_Close) \
	X(natsConnection_Connect) \
	X(natsConnection_Destroy) \
	X(natsConnection_GetLastError) \
	X(natsConnection_IsClosed) \
	X(natsConnection_JetStream) \
	X(natsMsg_Create) \
	X(natsMsg_Destroy) \
	X(natsMsg_GetData) \
	X(natsMsg_GetDataLength) \
	X(natsMsg_GetMetaData) \
	X(natsMsg_GetSubject) \
	X(natsOptions_Create) \
	X(natsOptions_Destroy) \
	X(natsOptions_LoadCATrustedCertificates) \
	X(natsOptions_LoadCertificatesChain) \
	X(natsOptions_SetAllowReconnect) \
	X(natsOptions_SetExpectedHostname) \
	X(natsOptions_SetMaxPingsOut) \
	X(natsOptions_SetName) \
	X(natsOptions_SetPingInterval) \
	X(natsOptions_SetSecure) \
	X(natsOptions_SetTimeout) \
	X(natsOptions_SetToken) \
	X(natsOptions_SetURL) \
	X(natsOptions_SetUserCredentialsFromFiles) \
	X(natsStatus_GetText) \
	X(natsSubscription_Destroy) \
	X(natsSubscription_GetConsumerInfo) \
	X(natsSubscription_NextMsg) \
	X(nats_CloseAndWait) \
	X(nats_GetLastError) \
	X(nats_ReleaseThreadMemory)

/* Function pointers; all NULL until natslib_load() has succeeded. */
struct natslib {
	NATSLIB_CALLS(LIBRARY_MEMBER)
};
extern struct natslib natslib;

/* Load libnats once. Not thread-safe. Return NULL, or the reason of the failure, which is kept. */
const char *natslib_load(void);

#endif
