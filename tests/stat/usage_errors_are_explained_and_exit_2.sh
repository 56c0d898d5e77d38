#!/bin/sh
. "${0%/*}/lib.sh"

misuse()
{
	refuses 2 "$@"
	in_file err 'see swtrace stat --help$'
}

misuse 'a target is missing'
misuse 'a target is missing' -e page-faults
misuse 'unknown option "-x"' -x -- true
misuse '-e needs EVENTS' -e
misuse 'exclude each other' -p 1 -a
misuse 'exclude each other' -p 1 -t 1
misuse 'exclude each other' -a -t 1
misuse 'exclude each other' --csv --json -- true
misuse 'for -a' --per-cpu -- true
misuse 'for -a' --per-cpu -p 1
misuse 'duration is for' --duration 1 -- true
misuse 'duration is for' -a --duration 1 -- true
misuse 'duration: ".*": expected' -a --duration x
misuse 'duration: ".*": expected' -a --duration 0
misuse "file's name is empty" -o '' -- true
for pids in '' x 0 -1 1,, ,1 1,x 99999999999 2147483648; do
	misuse '-p: ".*": expected up to' -p "$pids"
done
for time in '' 0 x 0.5 1.5 0ms 999us 1x -5; do
	misuse '-I: ".*": expected' -I "$time" -- true
done
misuse 'no event "bogus"' -e bogus -- true
misuse 'no event "bogus"' -e page-faults,bogus -- true
misuse 'name is missing' -e '' -- true
misuse 'name is missing' -e page-faults, -- true
misuse 'name is missing' -e ,page-faults -- true
misuse 'name is missing' -e page-faults,,cycles -- true
misuse 'name is missing' -e '{}' -- true
misuse 'the } is missing' -e '{page-faults' -- true
misuse '} without a {' -e 'page-faults}' -- true
misuse '{ within' -e '{page-faults,{cycles}}' -- true
misuse 'comma is missing' -e '{page-faults}x' -- true
misuse 'comma is missing' -e 'page-faults{cycles}' -- true
misuse 'longer than' -e "$(printf '%0300d' 1)" -- true

run 0 --help
in_file out '^usage: swtrace stat '
