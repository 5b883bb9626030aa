# sources - ibscan's files, one per line; unit tests link all but the main file.
# SPDX-License-Identifier: Apache-2.0
ibscan_MAIN := tools/ibscan/main.c
ibscan_SRCS := \
	tools/ibscan/attribute.c \
	tools/ibscan/chardevs.c \
	tools/ibscan/config.c \
	tools/ibscan/descriptors.c \
	tools/ibscan/device.c \
	tools/ibscan/events.c \
	tools/ibscan/functions.c \
	tools/ibscan/glance.c \
	tools/ibscan/identity.c \
	tools/ibscan/live.c \
	tools/ibscan/output.c \
	tools/ibscan/parent.c \
	tools/ibscan/parse.c \
	tools/ibscan/port.c \
	tools/ibscan/portrecord.c \
	tools/ibscan/readers.c \
	tools/ibscan/record.c \
	tools/ibscan/roster.c \
	tools/ibscan/scanner.c \
	tools/ibscan/scanoptions.c \
	tools/ibscan/slots.c \
	tools/ibscan/stall.c \
	tools/ibscan/told.c \
	tools/ibscan/uplink.c \
	tools/ibscan/walk.c \
	tools/ibscan/wish.c
