# sources - the library, which every program links: one a line, sorted.
# SPDX-License-Identifier: Apache-2.0
LIB_SRCS := \
	lib/acks.c \
	lib/arguments.c \
	lib/array.c \
	lib/asyncrec.c \
	lib/atomfile.c \
	lib/callfilter.c \
	lib/chardev.c \
	lib/checks.c \
	lib/clock.c \
	lib/cmrec.c \
	lib/commalist.c \
	lib/conditionmetrics.c \
	lib/conf.c \
	lib/confcounters.c \
	lib/confdoc.c \
	lib/confine.c \
	lib/confkeys.c \
	lib/confpatterns.c \
	lib/confprint.c \
	lib/counters.c \
	lib/diag.c \
	lib/diagout.c \
	lib/efa.c \
	lib/errorcode.c \
	lib/event.c \
	lib/evidence.c \
	lib/exposition.c \
	lib/fd.c \
	lib/filter.c \
	lib/host.c \
	lib/ingerometrics.c \
	lib/intake.c \
	lib/jsonmemory.c \
	lib/jsontext.c \
	lib/landlock.c \
	lib/layer.c \
	lib/line.c \
	lib/lnetrec.c \
	lib/logpattern.c \
	lib/logstdin.c \
	lib/map.c \
	lib/metricname.c \
	lib/metrics.c \
	lib/metricsgroup.c \
	lib/metricspage.c \
	lib/num.c \
	lib/opt.c \
	lib/outbox.c \
	lib/outlet.c \
	lib/ownfile.c \
	lib/pcifn.c \
	lib/peers.c \
	lib/portcounters.c \
	lib/portfacts.c \
	lib/proc.c \
	lib/rec.c \
	lib/rx.c \
	lib/scan.c \
	lib/scanmetrics.c \
	lib/scanrec.c \
	lib/scanwriter.c \
	lib/sibling.c \
	lib/stop.c \
	lib/store.c \
	lib/strbuf.c \
	lib/sysfs.c \
	lib/terminal.c \
	lib/utf8.c \
	lib/webaddress.c \
	lib/when.c \
	lib/words.c

# C++, since the library it wraps is.
LIB_CXX_SRCS := lib/quickjson.cc lib/tomldoc.cc
