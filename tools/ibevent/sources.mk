# sources - ibevent: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
ibevent_MAIN := tools/ibevent/main.c
ibevent_SRCS := \
	tools/ibevent/devicelook.c \
	tools/ibevent/eventmetrics.c \
	tools/ibevent/eventname.c \
	tools/ibevent/failedpeers.c \
	tools/ibevent/link.c \
	tools/ibevent/linkmessage.c \
	tools/ibevent/linktable.c \
	tools/ibevent/merger.c \
	tools/ibevent/netlink.c \
	tools/ibevent/notice.c \
	tools/ibevent/output.c \
	tools/ibevent/session.c \
	tools/ibevent/trace.c \
	tools/ibevent/traceline.c \
	tools/ibevent/uevent.c \
	tools/ibevent/ueventmessage.c \
	tools/ibevent/verbs.c \
	tools/ibevent/verbsdriver.c \
	tools/ibevent/verbsopen.c
