# http - HTTP requests to servers on this machine. Load after common.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

# fetch HOST:PORT PATH [METHOD] - print the whole response; fail if nothing listens. (The shell
# itself sends the request, because most tests poll.)
fetch() {
	local host=${1%:*} connection
	host=${host#[} host=${host%]}
	{ exec {connection}<>"/dev/tcp/$host/${1##*:}"; } 2>/dev/null || return 1
	printf '%s %s HTTP/1.0\r\nHost: %s\r\n\r\n' "${3:-GET}" "$2" "$1" >&"$connection"
	timeout 60 cat <&"$connection"
	exec {connection}>&-
}

# head_of, body_of - print the status and header lines, or the body, of the response on stdin
head_of() { tr -d '\r' | awk 'NR == 1 { print $2; next } $0 == "" { exit } { print }'; }
body_of() { awk 'is_body { print } $0 == "\r" { is_body = 1 }'; }

# get http://HOST:PORT/PATH - print the body; fail if the status is not 2xx
get() {
	local where=${1#http://} answer
	answer=$(fetch "${where%%/*}" "/${where#*/}") && [[ $answer = 'HTTP/1.'?' 2'* ]] &&
		body_of <<<"$answer"
}

# free_port - print an unused TCP port of 127.0.0.1 outside of the range from which the kernel
# assigns ports: other tests get ports from there all the time, and could take it before it is used
free_port() {
	local port given_from
	read -r given_from _ </proc/sys/net/ipv4/ip_local_port_range
	[ "$given_from" -gt 20000 ] || given_from=32768
	port=$((10000 + RANDOM % (given_from - 10000)))
	while (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
		port=$((10000 + RANDOM % (given_from - 10000)))
	done
	echo "$port"
}
