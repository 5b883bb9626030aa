# SPDX-License-Identifier: Apache-2.0
"""More counters than are read by default: 25 for each port."""

# Those that are read by default are 13.
MORE_COUNTERS = (
    "duplicate_request",
    "out_of_buffer",
    "req_cqe_error",
    "req_cqe_flush_error",
    "req_remote_access_errors",
    "resp_cqe_error",
    "resp_cqe_flush_error",
    "resp_local_length_error",
    "roce_adp_retrans",
    "rx_atomic_requests",
    "rx_read_requests",
    "rx_write_requests",
)
COUNTERS = 13 + len(MORE_COUNTERS)


def configuration(work):
    """The path of a configuration with them."""
    path = work.file("config.yaml")
    with open(path, "w", encoding="ascii") as file:
        file.write("counterDetection:\n  counters:\n")
        for name in MORE_COUNTERS:
            file.write(
                f"    - {{name: {name}, path: hw_counters/{name}, thresholdType: delta, threshold:"
                f" 1000000, description: {name}}}\n"
            )
    return path
