/* ibscan - what the files of this tool share: what is to be read, and what was read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_H
#define IBSCAN_H

#include "chardev.h"
#include "clock.h"
#include "counters.h"
#include "rx.h"
#include "strbuf.h"
#include "sysfs.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Bounds on what one directory may hold before it is refused: far above any real machine. */
#define IBSCAN_DEVICES_MAX 16384
#define IBSCAN_PORTS_MAX 256
#define IBSCAN_FILES_MAX 1024
#define IBSCAN_NETDEVS_MAX 1024

/* Counters per port, and the length of their names: a port record stays within 64 KiB
 * (records#rules-for-all-records). */
#define IBSCAN_COUNTERS_MAX 400
#define IBSCAN_COUNTER_NAME_MAX 64

/* Room for a port attribute such as state or rate; sysfs writes far less. */
#define IBSCAN_TEXT_SIZE 128

/* How often identity, rate, lid and sm_lid are read again without a reason: once a minute, each
 * device at its own moment within the last quarter of it, so that not all are opened in one
 * scan. */
#define IBSCAN_REOPEN_NS (60 * UINT64_C(1000000000))
#define IBSCAN_REOPEN_SPREAD_NS (15 * UINT64_C(1000000000))

/* --- what to read (config.c) --- */

enum counter_choice { COUNTERS_ALL, COUNTERS_NONE, COUNTERS_LISTED };

struct counter_name {
	bool any_group; /* matches a file of this name wherever it is */
	enum counter_group group;
	char *file;
	bool vendors[VENDOR_N + 1]; /* whose NICs have it */
};

struct scan_config {
	enum counter_choice choice;
	struct counter_name *listed;
	size_t listed_count;
	bool vf_counters;
	bool gids;
	struct rx *include, *exclude; /* NULL: no such filter */
};

/* What every reader of devices needs. */
struct reading {
	int root;
	const struct scan_config *config;
	pthread_mutex_t *lock; /* guards device->identity */
};

/* --- what a device is (identity.c) --- */

struct netdev {
	char *name;
	struct sysfs_names uppers; /* everything stacked above it */
	uint64_t dev_port;         /* which port of the device it belongs to, from 0 */
	bool representor;          /* stands for a VF or SF on this host, not for the port */
};

/* Nullable strings are NULL when sysfs has no such file, or does not let it be read. */
struct identity {
	char *pci, *vendor, *driver, *hca_type, *fw_ver, *board_id, *node_guid, *physfn;
	char *driver_version; /* of its module */
	char *parent;         /* name of the RDMA device that this one is a part of */
	char *link_speed;     /* of the function on the PCI bus */
	int64_t link_width;   /* the same, in lanes; 0: not known */
	int64_t numa_node;
	bool vf; /* a virtual function, or a subfunction */
	struct netdev *netdevs;
	size_t netdev_count;
};

/* --- what a port says (port.c, slots.c) --- */

/* One attribute that is read again and again. */
struct attribute {
	int fd;       /* kept open, or -1: opened for each read */
	bool refused; /* the kernel said no: not asked again until the device is reopened */
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
	bool known; /* there is a table */
	unsigned total, ipv4_mapped, roce_v2;
};

struct port {
	unsigned number;
	enum vendor vendor;
	bool efa;          /* of an EFA adapter, ... */
	bool shows_device; /* ... whose own counters are shown with this port */
	/* kept directories by group; the interface's own directory under COUNTER_INTERFACE; -1:
	 * absent */
	int port_dir;
	int group_dir[COUNTER_GROUP_N];
	char *netdev; /* nullable */
	struct attribute state_attribute, phys_state_attribute, operstate_attribute,
		carrier_attribute;
	struct counter_slot *slots;
	size_t slot_count;

	int open_error; /* errno: the port's directory cannot be opened; 0: it could */

	/* the latest reading */
	struct clock_moment when;
	int error; /* errno: state or phys_state cannot be read; 0: all is well */
	struct text_value link_layer, state, phys_state, operstate, rate, lid, sm_lid;
	struct gid_counts gids;
	enum chardev_sight umad, issm; /* chardevs.c's */
	bool has_carrier, carrier;     /* of an EFA port's interface, while it can be read */
};

/* --- a device under class/infiniband (device.c) --- */

/* A reading that is under way, or was given up and begun again. */
struct in_flight {
	uint64_t ms; /* for how long, without the time in which this process was not let run */
	bool reads_counters; /* what is being read: counters, or states and all before them */
};

/* A kept directory and when its entries last changed: replaced files show here, also where they
 * keep their names. */
struct watched_dir {
	int fd;
	/* tells how many directories there are in it, which sysfs keeps up to date, and `modified`
	 * not always */
	nlink_t links;
	struct timespec modified;
};

/* No value of errno, all of which are positive: a device that should have ports has none. */
#define DEVICE_NO_PORTS (-1)

/* Where a device's reader is. */
enum device_phase {
	DEVICE_IDLE,
	DEVICE_ASKED, /* in a walk (walk.h) */
	DEVICE_BUSY,  /* being read */
};

/* The record of a device that was read in full, but for its scan's number, and what it was made
 * of. */
struct device_text {
	struct strbuf rest; /* what follows the number; empty: nothing is kept */
	uint64_t identity;  /* its number */
	size_t ports;
	enum chardev_sight uverbs;
};

struct device {
	char *name;
	bool listed;               /* in the class directory in this scan */
	bool answered;             /* this scan has its reading; the scan's, as the one below */
	enum chardev_sight uverbs; /* chardevs.c's */
	size_t function;           /* functions.c's: where in its list that of the device was */
	struct device_text text;   /* record.c's */

	/* The reader's while the device is not idle, else the scan's. */
	struct stat target; /* the directory behind the class link, when it was opened */
	ino_t opened_entry; /* its entry then */
	bool open;
	bool frugal; /* there is no room to keep its descriptors: it is opened for each reading */
	uint64_t reopen_ns;     /* when it is opened anew, CLOCK_MONOTONIC */
	uint64_t next_look_ns;  /* when its directories are, while it is young */
	int own_dir, ports_dir; /* -1: not open */
	long kept;              /* descriptors taken off the budget for its directories */
	struct watched_dir *watched;
	size_t watched_count;
	struct port *ports;
	size_t port_count;
	int error; /* errno of the latest reading or DEVICE_NO_PORTS, 0 when it was read in full */
	bool had_ports;             /* in an earlier reading */
	atomic_bool cancelled;      /* the scan has given up on this reading */
	atomic_bool reads_counters; /* it has come to them; else it is at what comes before */

	bool fresh;          /* a reading that no scan has reported yet */
	uint64_t took_ns;    /* the latest reading */
	uint64_t started_ns; /* that which is under way; known while DEVICE_BUSY, with: */
	int tid;             /* the thread that reads it */

	/* The inode number of its entry in the class directory: another one is another device. */
	_Atomic ino_t entry;
	atomic_uint_fast64_t young_until_ns; /* until then it may be incomplete; CLOCK_MONOTONIC */

	/* Who is not idle is the reader's when this says so. */
	_Atomic enum device_phase phase;

	/* Under the readers' lock while the device is not idle. */
	struct identity *identity; /* of the latest opening; NULL before the first */
	uint64_t identity_number;  /* how many there were */

	/* The scan's. */
	bool suspect;    /* did not answer in time when last asked */
	int unasked;     /* errno for which no thread could be started to ask it; 0: it was asked */
	bool unanswered; /* asked, perhaps more than once, and not answered since ... */
	uint64_t asked_ns, asked_lost_ns; /* ... then; and readers' lost_ns of that time */
};

#endif
