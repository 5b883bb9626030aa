# --- look.sh: chooses the files that are recorded ---
# SPDX-License-Identifier: Apache-2.0

# More than any node has. The limit ends the recursion if links form a loop.
INTERFACES_MAX=2048

# is_plain NAME - true if the name fits in a line of the record: no tab, no newline.
is_plain() {
	case $1 in *"$tab"* | *"$newline"*)
		note strange \
			"a name with a tab or newline: $(printf '%s' "$1" | tr '[:cntrl:]' '?')"
		return 1
		;;
	esac
}

# resolve PATH - set `found` to the directory PATH, relative to the root, with its links resolved.
resolve() {
	found=$(cd -P -- "./$1" 2>/dev/null && pwd -P) || return 1
	case $found in
	"$base"/sys/*) found=${found#"$base"/} ;;
	*)
		note strange "$1 points outside of sys"
		return 1
		;;
	esac
	is_plain "$found"
}

# take KIND DEPTH <DIRECTORIES - print the lines of the record for these directories, as chosen by
# look.awk: `F` lines without content are files still to be read. Opens nothing but directories.
take() {
	# shellcheck disable=SC2016 # for the inner shell
	tr '\n' '\0' | xargs -0 -r sh -c 'depth=$1 strange=$2; shift 2
		exec find "$@" -maxdepth "$depth" \
			\( \( -name "$strange" -o -lname "$strange" \) \
				-prune -printf "X\t%H\n" \) -o \
			\( -type d -empty -printf "E\t%H\t%P\t\n" \) -o \
			-printf "%y\t%H\t%P\t%l\n"' \
		find "$2" "*[$tab$newline]*" 2>/dev/null |
		awk -v "kind=$1" -v "names=$tmp/interfaces" -v "notes=$tmp/notes" -f "$tmp/look.awk"
}

# resolve_all CLASS - print the directories behind the entries of a class.
resolve_all() {
	for entry in "sys/class/$1"/*; do
		if is_plain "$entry" && [ -d "$entry" ] && resolve "$entry"; then
			printf '%s\n' "$found"
		fi
	done
}

# interface NAME - record an interface and all interfaces stacked on it.
interface() {
	case $1 in '' | . | .. | */*) return ;; esac
	is_plain "$1" || return
	[ -L "sys/class/net/$1" ] || [ -d "sys/class/net/$1" ] || return
	if [ -e "$tmp/seen/$1" ] || [ "$count" -ge "$INTERFACES_MAX" ]; then return; fi
	count=$((count + 1))
	: >"$tmp/seen/$1"
	printf '%s\n' "$1" >>"$tmp/interfaces"
	[ ! -L "sys/class/net/$1" ] || printf 'sys/class/net/%s\n' "$1" >>"$tmp/netlinks"
	resolve "sys/class/net/$1" || return
	printf '%s\n' "$found" >>"$tmp/nets"
	for upper in "$found"/upper_*; do
		interface "${upper##*/upper_}"
	done
}

# bus_functions - print the NIC functions and the GPUs (as pcitopo recognises them) on the PCI bus,
# even without a driver: a line each, with its kind. NIC functions are all of NVIDIA's, and those
# that ibscan lists in scan.end: of any vendor, also of an unreadable class, but not virtual ones.
bus_functions() {
	for file in sys/bus/pci/devices/*/vendor sys/bus/pci/devices/*/class; do
		if is_plain "$file" && [ -e "$file" ]; then printf '%s\n' "$file"; fi
	done | read_files bus | awk -F '\t' '
		BEGIN { gpu = "^(0x10de 0x030[02]|0x1002 0x(0380|1200)|0x8086 0x0380)$" }
		$1 == "F" {
			place = name = $2
			sub(/\/[^\/]*$/, "", place)
			sub(/.*\//, "", name)
			text[place, name] = substr($3, 1, 6)
			places[place]
		}
		$1 == "U" && sub(/\/class$/, "", $2) {
			text[$2, "class"] = "unreadable"
			places[$2]
		}
		END {
			for (place in places) {
				what = text[place, "vendor"] " " text[place, "class"]
				if (what ~ /^0x15b3 /)
					print "nic\t" place
				else if (what ~ gpu)
					print "gpu\t" place
				else if (what ~ / (0x02..|0x0c06|unreadable)$/)
					print "network\t" place
			}
		}' | while IFS=$tab read -r kind function; do
		if [ "$kind" = network ]; then
			[ ! -L "$function/physfn" ] || continue
			kind=nic
		fi
		if resolve "$function"; then printf '%s\t%s\n' "$kind" "$found"; fi
	done
}

# bus_functions_of KIND - print the directories of the functions of this kind.
bus_functions_of() { sed -n "s/^$1$tab//p" "$tmp/bus"; }

# function_links <FUNCTIONS - take the links to them below bus/pci/devices and bus/pci/drivers.
function_links() {
	while IFS= read -r function; do
		address=${function##*/}
		driver=$(readlink "$function/driver") || driver=
		for link in "sys/bus/pci/devices/$address" \
			"sys/bus/pci/drivers/${driver##*/}/$address"; do
			[ ! -L "$link" ] || printf '%s\n' "$link"
		done
	done | take link 0
}

# modules <FUNCTIONS - print the directories of their drivers' modules.
modules() {
	while IFS= read -r function; do
		driver=$(readlink "$function/driver") || continue
		module=sys/module/$(printf '%s' "${driver##*/}" | tr - _)
		if is_plain "$module" && [ -d "$module" ]; then printf '%s\n' "$module"; fi
	done | sort -u
}

# is_inside PATH - true if the links in PATH do not lead out of the root: somebody else may have
# made the tree, and the record must have nothing of this machine. One that leads nowhere is inside.
is_inside() {
	case $(readlink -f -- "$1") in
	'' | "$base"/*) ;;
	*)
		note strange "$1 points outside of the root"
		return 1
		;;
	esac
}

# host_file SOURCE NAME - print the path of a file that is to be recorded as NAME.
host_file() {
	if ! [ -e "$1" ] && ! [ -L "$1" ]; then
		note missing "$2"
		return
	fi
	case $1 in
	/*) from=$1 ;;
	*)
		is_inside "$1" || return
		from=$base/$1
		;;
	esac
	mkdir -p "$tmp/host/${2%/*}"
	ln -s "$from" "$tmp/host/$2"
	printf '%s\n' "$tmp/host/$2"
}

# config_file - host_file of the node's configuration, if it has one, without the sysfs root and
# without addresses: a service started for the record must not send events to the node's sinks.
config_file() {
	find_config || return 0
	read_config
	[ -s "$tmp/config.yaml" ] || return 0
	awk '/^[^ ]/ { skip = /^(sinks|runbookUrl|sysClass[A-Za-z]*):/ } !skip' \
		"$tmp/config.yaml" >"$tmp/rules"
	host_file "$tmp/rules" etc/nic-health-monitor/config.yaml
}

host_files() {
	# In a container, /host/proc/net is the container's own. Process 1 has the host's.
	net=proc/net
	[ -z "$base" ] || ! [ -r proc/1/net/route ] || net=proc/1/net
	host_file "$net/route" proc/net/route
	host_file "$net/ipv6_route" proc/net/ipv6_route
	host_file proc/sys/kernel/random/boot_id proc/sys/kernel/random/boot_id
	host_file proc/uptime proc/uptime
	nodes=sys/devices/system/node/online
	host_file "$nodes" "$nodes"
	usual=var/lib/nvsentinel/gpu_metadata.json
	host_file "${metadata:-$usual}" "$usual"
	config_file
}

# Read in two rounds: the files of the first one show which interfaces and GIDs exist.
look_and_read() {
	mkdir "$tmp/seen"
	for file in interfaces netlinks nets; do : >"$tmp/$file"; done

	for class in infiniband infiniband_verbs infiniband_mad; do
		if [ -d "sys/class/$class" ]; then
			printf 'sys/class/%s\n' "$class"
		else
			note missing "sys/class/$class"
		fi
	done | take class 1 >"$tmp/plan"
	resolve_all infiniband | sort -u >"$tmp/devices"
	{ resolve_all infiniband_verbs; resolve_all infiniband_mad; } | sort -u |
		take verbs 1 >>"$tmp/plan"
	bus_functions >"$tmp/bus"
	{
		while IFS= read -r device; do
			if resolve "$device/device"; then printf '%s\n' "$found"; fi
		done <"$tmp/devices"
		bus_functions_of nic
	} | sort -u >"$tmp/functions"
	# Of GPUs, take only what the PCI bus shows, nothing of their driver.
	bus_functions_of gpu | sort -u >"$tmp/gpus"
	take device 5 <"$tmp/devices" >>"$tmp/plan"
	{
		take function 1 <"$tmp/functions"
		take bus 1 <"$tmp/gpus"
		cat "$tmp/functions" "$tmp/gpus" | function_links
		modules <"$tmp/functions" | take module 1
	} >>"$tmp/plan"
	{ grep "^F" "$tmp/plan" | cut -f 2; host_files; } | read_files first >"$tmp/first"

	count=0
	{
		while IFS= read -r function; do
			for net in "$function"/net/*; do
				[ ! -d "$net" ] || printf '%s\n' "${net##*/}"
			done
		done <"$tmp/functions"
		sed -n -E 's/^F\t.*\/(parent|gid_attrs\/ndevs\/[0-9]+)\t([^\\]*)(\\n)*$/\2/p' \
			"$tmp/first"
	} >"$tmp/wanted"
	while IFS= read -r name; do interface "$name"; done <"$tmp/wanted"
	take link 0 <"$tmp/netlinks" >"$tmp/plan2"
	# Include an interface that class/net does not list.
	{
		sed 's/$/\/net/' "$tmp/functions" |
			xargs -d '\n' -r sh -c 'find "$@" -mindepth 1 -maxdepth 1 -type d' find 2>/dev/null
		cat "$tmp/nets"
	} | sort -u | take interface 2 >>"$tmp/plan2"
	# Type and interface of an unused GID cannot be read, and a port has a thousand unused GIDs.
	awk -F '\t' '
		FNR == NR { if ($2 ~ /\/gids\/[^\/]+$/ && $3 !~ /^[0:]*(\\n)*$/) used[$2]; next }
		/^G/ {
			gid = $3
			sub(/gid_attrs\/[a-z]+/, "gids", gid)
			if (gid in used) print substr($0, 3)
		}' "$tmp/first" "$tmp/plan" >>"$tmp/plan2"
	grep "^F" "$tmp/plan2" | cut -f 2 | read_files second >"$tmp/second"

	awk -F '\t' '!/^[FG]/' "$tmp/plan" "$tmp/plan2"
	awk -F '\t' '
		!($2 ~ /\/gids\/[^\/]*[^\/0]+[^\/]*$/ && $1 == "F" && $3 ~ /^[0:]*(\\n)*$/)' \
		"$tmp/first" "$tmp/second"
	[ ! -e "$tmp/full" ]
}
