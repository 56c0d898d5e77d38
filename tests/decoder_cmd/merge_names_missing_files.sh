#!/bin/sh
. "${0%/*}/lib.sh"

# Traces of their own: position is part of no identity, the id is.
for i in 1 2 3; do
	header="id 0000000000000000000000000000000$i"
	make_trace "t$i.bin"
	run 0 --partial "$i.p" "$work/t$i.bin"
done
run 0 t1.bin t2.bin t3.bin
in_file out '^# 3 traces$'
mv out whole
run 0 merge 3.p 1.p 2.p
cmp -s out whole || fail "merged and whole differ"

# A list names traces by their paths or by the last component.
printf '%s\n\nt2.bin\r\n' "$work/t1.bin" >both
run 0 merge --expect both 1.p 2.p
quiet
run 0 merge --expect both 1.p 2.p 3.p
printf "t2.bin\nt3.bin\nt\033[1mx.bin\n" >list
run 1 merge --expect list 1.p 3.p
[ ! -s out ] || fail "a report all the same"
in_file err '^cpidecode: t2.bin: no partial result, or not all of them, for this trace of list$'
[ "$(wc -l <err)" -eq 2 ] || fail "more or less than what is missing"
run 0 merge --expect list --allow-missing 1.p 3.p
in_file out '^# 2 expected traces are missing: t2.bin, t\\x1B\[1mx.bin$'
run 3 merge --expect list --allow-missing --strict 1.p 3.p
run 0 merge --expect list --allow-missing --format csv 1.p 3.p
not_in_file out missing
in_file err t2.bin
printf 't2.bin\n' | "$CPIDECODE" merge --expect - 1.p 2.p >out 2>err || fail "a list from a pipe"

# Another path of the same trace is another name; one line says what counts.
printf '/else/where/t1.bin\n/else/where/t2.bin\n' >elsewhere
run 1 merge --expect elsewhere 1.p 2.p
in_file err "^cpidecode: /else/where/t1.bin: there is a result of $work/t1.bin: --expect takes the path that"
[ "$(wc -l <err)" -eq 3 ] || fail "more or less than one example"

# A part of a trace is not the trace.
run 0 --partial half.p --slice 1/2 t2.bin
run 1 merge --expect both 1.p half.p
in_file err 't2.bin: no partial result, or not all'

# Many are counted, and named up to a limit in the report, all of them on standard error.
seq -f 'lost%g.bin' 30 >many
run 0 merge --expect many --allow-missing 1.p
in_file out '^# 30 expected traces are missing: lost1.bin, .*, lost20.bin and 10 more$'
[ "$(grep -c 'lost' err)" -eq 30 ] || fail "not every trace that is missing is told"

# Damaged, cut, empty and absent results.
{ head -c 60 2.p; printf 'X'; tail -c +62 2.p; } >damaged.p
head -c 90 2.p >cut.p
: >empty.p
for bad in damaged.p cut.p empty.p none.p; do
	for order in "1.p $bad 3.p" "$bad 1.p 3.p"; do
		# shellcheck disable=SC2086 # several files
		run 1 merge $order
		[ ! -s out ] || fail "a report without $bad"
		# shellcheck disable=SC2086
		run 0 merge --allow-missing $order
		in_file err "^cpidecode: $bad: "
		in_file out "^# 1 partial result is missing: $bad\$"
		grep -v '^# 1 partial' out >rest
		run 0 merge 1.p 3.p
		cmp -s out rest || fail "$bad changed the report"
	done
done
run 1 merge --allow-missing damaged.p empty.p
in_file err 'no partial result is left'

run 1 merge --expect absent 1.p
in_file err '--expect absent: cannot read: No such file'
run 1 merge --expect empty.p 1.p
in_file err 'it names no trace'
run 2 --expect list t1.bin
in_file err 'go with merge'
run 2 --allow-missing t1.bin
