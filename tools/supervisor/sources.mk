# sources - nic-health-monitor: main file and other files, which unit tests also link; one per line.
# SPDX-License-Identifier: Apache-2.0
nic-health-monitor_MAIN := tools/supervisor/main.c
nic-health-monitor_SRCS := \
	tools/supervisor/answers.c \
	tools/supervisor/checklist.c \
	tools/supervisor/confcopy.c \
	tools/supervisor/confined.c \
	tools/supervisor/direct.c \
	tools/supervisor/findings.c \
	tools/supervisor/health.c \
	tools/supervisor/httpd.c \
	tools/supervisor/keeper.c \
	tools/supervisor/listener.c \
	tools/supervisor/nodeoptions.c \
	tools/supervisor/options.c \
	tools/supervisor/outside.c \
	tools/supervisor/peer.c \
	tools/supervisor/pipeline.c \
	tools/supervisor/places.c \
	tools/supervisor/preflight.c \
	tools/supervisor/probe.c \
	tools/supervisor/progress.c \
	tools/supervisor/readiness.c \
	tools/supervisor/scrape.c \
	tools/supervisor/service.c \
	tools/supervisor/settings.c \
	tools/supervisor/sinkwords.c \
	tools/supervisor/stagerun.c \
	tools/supervisor/stages.c \
	tools/supervisor/watch.c
