# sources - nhm: a shell script.
# SPDX-License-Identifier: Apache-2.0
SCRIPTS += nhm
nhm_SRCS := tools/nhm/nhm lib/script.sh
