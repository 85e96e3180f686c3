# apt.sh: functions of scripts that install Debian's packages.  Read by `.` after progress.sh, not run.

# Run a function that calls `apt`, and say how far it is.  If it fails, say why and end.
#
#	installing WHAT FUNCTION
installing() {
	apt_log=$(mktemp)
	echo "Installing $1"
	if during apt_progress apt_logged "$2"; then
		rm -f "$apt_log" "$apt_log.status"
		return
	fi
	if grep -qE '(failure|Could not) resolv|(Could not|Unable to|Cannot initiate the) connect|Network is unreachable|Connection timed out' "$apt_log"; then
		grep -E '^(E|W|Err)' "$apt_log" | tail -2 >&2
		echo "apt-get could not reach the packages' server: is there a network, and does it take a proxy (http_proxy)?" >&2
	else
		tail -20 "$apt_log" >&2
	fi
	rm -f "$apt_log" "$apt_log.status"
	echo "apt-get could not install $1" >&2
	exit 1
}

# apt-get, which writes lines like pmstatus:gcc:35.2:Unpacking gcc for apt_progress.
apt() { DEBIAN_FRONTEND=noninteractive apt-get -o APT::Status-Fd=3 -o Acquire::Retries=1 "$@"; }

apt_logged() { "$1" >"$apt_log" 2>&1 3>"$apt_log.status" </dev/null; }

apt_progress() {
	sed -n 's/^[a-z]*status:[^:]*:\([0-9]*\)[^:]*:\(.*\)/\1 %  \2/p' "$apt_log.status" | tail -1 | cut -c 1-70
}
