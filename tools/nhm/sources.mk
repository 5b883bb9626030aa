# sources - nhm's files: a shell script and lib/script.sh.
# SPDX-License-Identifier: Apache-2.0
SCRIPTS += nhm
nhm_SRCS := tools/nhm/nhm lib/script.sh
