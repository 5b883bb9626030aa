# sources - emit: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
emit_MAIN := tools/emit/main.c
emit_SRCS := \
	tools/emit/confined.c \
	tools/emit/delivery.c \
	tools/emit/fault.c \
	tools/emit/hostfiles.c \
	tools/emit/in/facts.c \
	tools/emit/in/held.c \
	tools/emit/in/inputs.c \
	tools/emit/in/silencing.c \
	tools/emit/in/sources.c \
	tools/emit/options.c \
	tools/emit/out/alerts.c \
	tools/emit/out/carrier.c \
	tools/emit/out/courier.c \
	tools/emit/out/curllib.c \
	tools/emit/out/curltarget.c \
	tools/emit/out/filework.c \
	tools/emit/out/grpc.c \
	tools/emit/out/http.c \
	tools/emit/out/journald.c \
	tools/emit/out/journalentry.c \
	tools/emit/out/linesinks.c \
	tools/emit/out/nats.c \
	tools/emit/out/natsaddress.c \
	tools/emit/out/natsdial.c \
	tools/emit/out/natslib.c \
	tools/emit/out/natslink.c \
	tools/emit/out/pgaddress.c \
	tools/emit/out/pgdial.c \
	tools/emit/out/pglink.c \
	tools/emit/out/postgres.c \
	tools/emit/out/pqlib.c \
	tools/emit/out/program.c \
	tools/emit/out/reply.c \
	tools/emit/out/request.c \
	tools/emit/out/resolver.c \
	tools/emit/out/sink.c \
	tools/emit/out/sinkspec.c \
	tools/emit/out/starter.c \
	tools/emit/out/stream.c \
	tools/emit/out/token.c \
	tools/emit/out/transport.c \
	tools/emit/out/verdict.c \
	tools/emit/out/webhook.c \
	tools/emit/out/wire.c \
	tools/emit/overlap.c \
	tools/emit/ownmetrics.c \
	tools/emit/positions.c \
	tools/emit/run.c \
	tools/emit/store/batch.c \
	tools/emit/store/clearing.c \
	tools/emit/store/conditions.c \
	tools/emit/store/database.c \
	tools/emit/store/desk.c \
	tools/emit/store/guard.c \
	tools/emit/store/journal.c \
	tools/emit/store/journalask.c \
	tools/emit/store/journaldesk.c \
	tools/emit/store/journalread.c \
	tools/emit/store/journalspool.c \
	tools/emit/store/keepsake.c \
	tools/emit/store/releases.c \
	tools/emit/store/retention.c \
	tools/emit/store/salvage.c \
	tools/emit/store/schema.c \
	tools/emit/store/spool.c \
	tools/emit/store/spoolevents.c \
	tools/emit/store/worker.c

# protoc-c generates C from these, in $(BUILD)/gen.
emit_PROTOS := tools/emit/health_event.proto
