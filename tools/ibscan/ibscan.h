/* ibscan - structs shared by this tool's files: configuration and readings. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_H
#define IBSCAN_H

#include "chardev.h"
#include "clock.h"
#include "counters.h"
#include "num.h"
#include "rx.h"
#include "strbuf.h"
#include "sysfs.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Maximum number of entries per directory, far above any real machine's. A directory with more is
 * an error. */
#define IBSCAN_DEVICES_MAX 16384
#define IBSCAN_PORTS_MAX 256
#define IBSCAN_FILES_MAX 1024
#define IBSCAN_NETDEVS_MAX 1024

/* Maximum number of counters per port and length of their names. They keep a port record within
 * 64 KiB (records#rules-for-all-records). */
#define IBSCAN_COUNTERS_MAX 400
#define IBSCAN_COUNTER_NAME_MAX 64

/* Size of a port attribute such as state or rate; sysfs writes far less. */
#define IBSCAN_TEXT_SIZE 128

/* Identity, rate, lid and sm_lid are read again once a minute even if nothing changed. Each device
 * has its own time in the last quarter of the minute, so that one scan does not open them all. */
#define IBSCAN_REOPEN_NS (60 * NUM_NS_PER_S)
#define IBSCAN_REOPEN_SPREAD_NS (15 * NUM_NS_PER_S)

/* --- configuration (config.c) --- */

enum counter_choice { COUNTERS_ALL, COUNTERS_NONE, COUNTERS_LISTED };

struct counter_name {
	bool any_group; /* matches the file in any group */
	enum counter_group group;
	char *file;
	bool vendors[VENDOR_N + 1]; /* vendors whose NICs have it */
};

struct scan_config {
	enum counter_choice choice;
	struct counter_name *listed;
	size_t listed_count;
	bool vf_counters;
	bool gids;
	struct rx *include, *exclude; /* NULL: no filter */
};

/* What each reader needs. */
struct reading {
	int root;
	const struct scan_config *config;
	pthread_mutex_t *lock; /* guards device->identity */
};

/* --- identity of a device (identity.c) --- */

struct netdev {
	char *name;
	struct sysfs_names uppers; /* all interfaces stacked above it */
	uint64_t dev_port;         /* index of its port, from 0 */
	bool representor;          /* represents a VF or SF on this host, not the port */
	bool bonded;               /* is a member of a bond, whatever that is called */
};

/* A string is NULL if sysfs has no such file or it is unreadable. */
struct identity {
	char *pci, *vendor, *driver, *hca_type, *fw_ver, *board_id, *node_guid, *physfn;
	char *driver_version; /* of its module */
	char *parent;         /* name of the RDMA device of which this one is a part */
	char *link_speed;     /* of the PCI function */
	int64_t link_width;   /* of the PCI function, in lanes; 0: unknown */
	int64_t numa_node;
	bool vf; /* virtual function or subfunction */
	struct netdev *netdevs;
	size_t netdev_count;
};

/* --- reading of a port (port.c, slots.c) --- */

/* An attribute that is read repeatedly. */
struct attribute {
	int fd;       /* kept open; -1: opened for each read */
	bool refused; /* rejected by the kernel: not read again until the device is reopened */
};

struct text_value {
	bool present;
	char text[IBSCAN_TEXT_SIZE]; /* valid UTF-8 */
};

struct counter_slot {
	char *file;
	enum counter_group group;
	struct attribute attribute;
	bool has_value;
	uint64_t value;
};

struct gid_counts {
	bool known; /* the table is readable */
	unsigned total, ipv4_mapped, roce_v2;
};

struct port {
	unsigned number;
	enum vendor vendor;
	bool efa;          /* port of an EFA adapter */
	bool shows_device; /* shows the counters of its EFA adapter */
	bool is_uplink;    /* of a NIC in switchdev mode (uplink.h) */
	/* kept directories of the port, and of each group: COUNTER_INTERFACE has that of the
	 * network interface. -1: absent */
	int port_dir;
	int group_dir[COUNTER_GROUP_N];
	int uplink_dir; /* kept directory of the interface whose carrier counts, or -1 */
	char *netdev;   /* may be NULL */
	struct attribute state_attribute, phys_state_attribute, operstate_attribute,
		carrier_attribute;
	struct counter_slot *slots;
	size_t slot_count;

	int open_error; /* errno of opening the port or reading link_layer; 0: none */

	/* the latest reading */
	struct clock_moment when;
	int error; /* errno of reading state or phys_state; 0: none */
	struct text_value link_layer, state, phys_state, operstate, rate, lid, sm_lid;
	struct gid_counts gids;
	enum chardev_sight umad, issm; /* set by chardevs.c */
	bool has_carrier, carrier;     /* of an EFA port's interface, if readable */

	/* the members of the record before the counters, which hardly ever change; "": not
	 * formatted since a text was read that differs (portrecord.c) */
	struct strbuf middle;
};

/* --- a device under class/infiniband (device.c) --- */

/* A reading in progress, perhaps cancelled and retried. */
struct in_flight {
	uint64_t ms;         /* duration, without the time during which this process did not run */
	bool reads_counters; /* reads counters; else states, or what precedes them */
};

/* A kept directory. Its modification time shows that files were replaced, even by others of the
 * same name. */
struct watched_dir {
	int fd;
	/* number of subdirectories: sysfs always keeps it up to date, but not always the
	 * modification time */
	nlink_t links;
	struct timespec modified;
};

/* Unlike an errno, negative: a device that should have ports has none. */
#define DEVICE_NO_PORTS (-1)

/* State of a device's reader. */
enum device_phase {
	DEVICE_IDLE,
	DEVICE_ASKED, /* in a walk (walk.h) */
	DEVICE_BUSY,  /* being read */
};

/* Cached record of a device that was read in full, and the values that it depends on. */
struct device_text {
	struct strbuf rest; /* the record after the scan number; empty: no record */
	uint64_t identity;  /* device->identity_number */
	size_t ports;
	enum chardev_sight uverbs;
};

struct device {
	char *name;
	bool listed;   /* in the class directory in this scan */
	bool answered; /* this scan has a reading of it; set, like `uverbs`, by the scan */
	enum chardev_sight uverbs; /* set by chardevs.c */
	size_t function;           /* last index in functions.c's list */
	struct device_text text;   /* used by record.c */

	/* Owned by the reader while the device is not idle, else by the scan. */
	struct stat target; /* target of the class link when opened */
	ino_t opened_entry; /* `entry` when opened */
	bool open;
	bool frugal;        /* opened for each reading: the budget does not allow keeping it open */
	uint64_t reopen_ns; /* time of the next opening, CLOCK_MONOTONIC */
	uint64_t next_look_ns;  /* time of the next check of its directories while it is young */
	int own_dir, ports_dir; /* -1: not open */
	long kept;              /* descriptors that its directories take off the budget */
	struct watched_dir *watched;
	size_t watched_count;
	struct port *ports;
	size_t port_count;
	int error;      /* of the latest reading: errno, DEVICE_NO_PORTS, or 0 if read in full */
	bool had_ports; /* in an earlier reading */
	atomic_bool cancelled;      /* the scan gave up on this reading */
	atomic_bool reads_counters; /* the reading has reached the counters */

	bool fresh;          /* has a reading that no scan has reported */
	uint64_t took_ns;    /* duration of the latest reading */
	uint64_t started_ns; /* of the reading in progress; valid, like `tid`, while DEVICE_BUSY */
	int tid;             /* reading thread */

	/* Inode of its entry in the class directory. A new inode means a new device. */
	_Atomic ino_t entry;
	atomic_uint_fast64_t young_until_ns; /* until then it may be incomplete; CLOCK_MONOTONIC */

	/* Unless this is DEVICE_IDLE, the device belongs to its reader. */
	_Atomic enum device_phase phase;

	/* Protected by the readers' lock while the device is not idle. */
	struct identity *identity; /* of the latest opening; NULL before the first */
	uint64_t identity_number;  /* incremented with each new identity */

	/* Owned by the scan. */
	bool suspect;    /* missed the deadline when last asked */
	int unasked;     /* errno: no thread could be started to read it; 0: it was asked */
	bool unanswered; /* asked, perhaps repeatedly, without an answer since `asked_ns` */
	uint64_t asked_ns, asked_lost_ns; /* the latter: readers' lost_ns at asked_ns */
};

#endif
