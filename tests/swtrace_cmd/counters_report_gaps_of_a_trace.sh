#!/bin/sh
. "${0%/*}/lib.sh"
: "${MKTRACE:?the trace builder tests/golden/mktrace.c}"
busy='\CPI(_Total)\% Busy'

# make LOSSES: of ring 0, as trace-file.md has them.
make()
{
	"$MKTRACE" - t.bin <<END
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
section hooks ring=0
group mm=1 tid=7 at=1000000 elapsed=100000 types=3 label="load" detailed
cpu 1000 2000 1000 x2
endgroup
group mm=1 tid=7 at=2000000 elapsed=100000 types=3 label="load" detailed
cpu 1000 2000 1000 x2
endgroup
section loss
loss 0 $1
section end
END
}

# Nothing is missing; what wrap mode overwrote is no loss.
make '0 0 0 0 40 0 0'
run 0 counters query "$busy" --from t.bin
[ ! -s err ] || fail "it was complained of"
[ "$(wc -l <out)" -eq 3 ] || fail "other than a heading and 2 rows"
in_file out '"50\.000000"'

make '3 2 1 1 40 2 1'
lost='t\.bin: 9 hooks were lost while it was written: samples may be missing'
run 0 counters query "$busy" --from t.bin
in_file err "$lost"
run 0 counters list --from t.bin
in_file err "$lost"

head -c $(($(wc -c <t.bin) - 40)) t.bin >cut.bin
run 0 counters query "$busy" --from cut.bin
in_file err 'cut\.bin: damaged or cut off: samples may be missing'
[ "$(wc -l <out)" -eq 3 ] || fail "the recorded counters are not replayed"

mkfifo pipe
refuses 1 'pipe: is a pipe, .*copy it to a file first' counters query "$busy" --from pipe
echo nothing >text
refuses 1 'text: not a trace.*swtrace dump' counters query "$busy" --from text
