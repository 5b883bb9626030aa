# sources - nhm-capture's files: a shell script assembled from its parts.
# SPDX-License-Identifier: Apache-2.0
SCRIPTS := nhm-capture
nhm-capture_SRCS := tools/capture/nhm-capture lib/script.sh \
	$(wildcard tools/capture/*.sh tools/capture/*.awk)
