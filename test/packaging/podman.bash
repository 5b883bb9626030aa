# podman - our image under podman, with all that podman keeps in a temporary directory: `pod` is
# podman, and $work/node a simulated node. For test/packaging/image and pod, in a mount namespace.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

NAME=nic-health-monitor

say() { echo "packaging: $* ($SECONDS s)"; }
fail() {
	echo "packaging: ${0##*/}: $*" >&2
	exit 1
}
# within SECONDS COMMAND...
within() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$deadline" ] || return 1
		sleep 0.2
	done
}

work=$(mktemp -d)
# The user of a container reads the simulated node below.
chmod 755 "$work"
end() {
	pod pod rm --all --force --time 0 >/dev/null 2>&1 || true
	pod rm --all --force --time 0 >/dev/null 2>&1 || true
	umount "$work"/store/* 2>/dev/null || true
	rm -rf --one-file-system "$work"
}
trap end EXIT

pod() { podman --root "$work/store" --runroot "$work/run" --tmpdir "$work/tmp" \
	--cgroup-manager cgroupfs --events-backend none --runtime "$PWD/test/packaging/runtime/crun" \
	"$@"; }

# with_image - the image is there, and the node.
with_image() {
	# crun refuses a machine with cgroups of both versions.
	if [ "$(stat -f -c %T /sys/fs/cgroup)" != cgroup2fs ]; then
		umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup
	fi
	pod load --quiet --input "build/image/$NAME.tar" >/dev/null
	image=localhost/$NAME:$(dpkg-deb --field build/deb/"$NAME"_*.deb Version)
	test/sim/nicsim "$work/node" create test/fixtures/platforms/h100-oci.json
}

has_said() { pod logs "$1" 2>&1 >/dev/null | grep -q -e "$2"; }
has_reported() { pod logs "$1" 2>/dev/null | jq -s -e "any(.[]; $2)" >/dev/null; }
# get CONTAINER PATH - over HTTP, in the network of the container.
# shellcheck disable=SC2016 # for the inner shell
get() { nsenter --net --target "$(pod inspect --format '{{.State.Pid}}' "$1")" bash -c '
	exec 3<>/dev/tcp/127.0.0.1/2112 && printf "GET %s HTTP/1.0\r\n\r\n" "$0" >&3 && cat <&3' \
	"$2"; }
