# progress.sh: functions of scripts that say what they do.  Read by `.`, not run.

# Run a command, whose output comes when it has ended.  Every other second until then, print
# a line: how long it has taken, and what a function says of how far it is.
#
#	during FUNCTION COMMAND...
during() {
	how_far=$1
	shift
	output=$(mktemp)
	say_how_far &
	sayer=$!
	status=0
	"$@" >"$output" 2>&1 </dev/null || status=$?
	kill $sayer 2>/dev/null || true
	wait $sayer 2>/dev/null || true
	cat "$output"
	rm -f "$output"
	return $status
}

# Until it is killed, or the script has ended, perhaps by a signal.
say_how_far() {
	began=$(date +%s)
	while sleep 1.5 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		printf '%5d s  %s\n' $(($(date +%s) - began)) "$($how_far)"
	done
}
