#!/bin/sh
# The inputs a search starts from: seeds.sh FOLDER. Makes FOLDER/TARGET/... from the golden
# traces, the schemas and a few lines below. MKTRACE names the builder of traces.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$here/../lib/traces.sh"
case ${MKTRACE:=mktrace} in */*) MKTRACE=$(cd "$(dirname "$MKTRACE")" && pwd)/${MKTRACE##*/} ;; esac
mkdir -p "${1:?the folder}"
to=$(cd "$1" && pwd)
traces=$to/traces
mkdir -p "$traces"
cd "$traces"
for target in api args codec container counterset cuts expression nrm2 partial pipeline query record \
	replay schema sections; do
	mkdir -p "$to/$target"
done

for script in "$top"/tests/golden/cases/*/trace*.txt; do
	case=${script%/*} file=${script##*/}
	"$MKTRACE" "$script" "$traces/${case##*/}-${file%.txt}" 2>/dev/null || continue
done

# The kernel's switches: an interval of thread 1, and who ran instead.
{
	kernel_trace_head
	cat <<'END'
hook 0xC2 0x10000000 tid=1 at=20000 34 1 64:10000 64:2 0
hook 0xC3 1 tid=9 at=30000 0 3 64:8000 64:12000 1 1 0 2 2 1 2000 1 1 0 3000 0 0 0
hook 0xC3 1 tid=9 at=30000 0 1 64:17000 64:18000 0 0 0 1 1 0
hook 0xC3 1 tid=9 at=30000 0 0 64:18000 64:22000 1 1
hook 0xC3 2 tid=9 at=30000 1 1 2 2 64:9000 64:30000 "other"
section hooks ring=1
hook 0xC3 1 tid=9 at=30000 1 2 64:15000 64:16000 0 0 0 2 3 0 1000 0 0 0
hook 0xC3 3 tid=9 at=30000 1 64:12000 64:13000 64:5
hook 0xC3 4 tid=9 at=30000 1 3 64:8000 64:11000 0 9 3 2 0 6500 1 3 2 0 6800 1 0 0 2
section end
END
} | "$MKTRACE" - "$traces/switches-trace"

# Files of the other format, for its own target: as they are, and as if they were ours.
for trace in "$traces"/nrm2_*; do
	{ printf '\0'; cat "$trace"; } >"$to/nrm2/${trace##*/}"
	{ printf '\3'; cat "$trace"; } >"$to/nrm2/${trace##*/}-ours"
	rm -f "$trace"
done

# bytes FILE ESCAPES...: printf's escapes, one after the other.
bytes() {
	file=$1
	shift
	for part in "$@"; do
		# shellcheck disable=SC2059
		printf "$part"
	done >"$file"
}

# Each trace with the next report and format, so that all of both are there.
n=0
for trace in "$traces"/*; do
	name=${trace##*/}
	[ "$(wc -c <"$trace")" -le 16384 ] || continue
	cp "$trace" "$to/container/$name"
	cp "$trace" "$to/sections/$name"
	for turn in 0 1 2; do
		# kind and format, weight, value, label, from, to, how, threads
		octal=$(printf '\\%03o' $((n % 28)))
		bytes front "$octal" '\0\0\0\0\0\0\0'
		cat front "$trace" >"$to/pipeline/$name-$((n % 28))-$turn"
		n=$((n + 1 + (turn == 2)))
	done
	bytes front "$(printf '\\%03o' $((128 + n % 6)))" '\100'
	cat front "$trace" >"$to/partial/$name"
	bytes front "$(printf '\\%03o' $((n % 8)))" '\2\1\1\100\0\100\0'
	[ $((n % 2)) -eq 0 ] || printf '\0\0' >>front
	cat front "$trace" >"$to/cuts/$name"
	bytes front '\3\21\1' "$(printf '\\%03o' $((128 + n % 56)))" '\0\52\2'
	cat front "$trace" >"$to/api/$name"
	bytes front '\100\2\20\0\1\40\0\2'
	cat front "$trace" >"$to/partial/$name-changed"
	bytes front '\140\1\2\0\0'
	cat front "$trace" >"$to/partial/$name-hosts"
	bytes front '\140\3\2\0\40\1\3\100\20\5\200\100'
	cat front "$trace" >"$to/partial/$name-hosts-changed"
	dd if="$trace" bs=8 skip=40 of="$to/record/$name" 2>/dev/null
done
for kind in 12 20 21; do
	bytes front "$(printf '\\%03o' $kind)" '\0\0\0\0\0\0\0'
	cat front "$traces/switches-trace" >"$to/pipeline/switches-$kind"
done
rm -f front

# Cases of two files: a length of 16 bits, the first, the second.
for second in "$traces"/*-trace2; do
	first=${second%2} name=${second##*/}
	n=$(wc -c <"$first")
	length=$(printf '\\%03o\\%03o' $((n % 256)) $((n / 256)))
	for kind in 0 3 5 6 12; do
		bytes front "\\$(printf %03o $kind)" '\0\0\0\0\0\1\0' "$length"
		cat front "$first" "$second" >"$to/pipeline/$name-both-$kind"
	done
	bytes front '\3\2\1\1\100\0\100\0' "$length"
	cat front "$first" "$second" >"$to/cuts/$name-both"
done

# Groups, hooks and oddities in short form, for every report.
section() { # SHAPE CODEC RING
	bytes "$1" 'SWTS\1\0' "$2" "$3" '\0\0\0\0\0\0\0\0' "$4" '\0\0\0\0\0\0\0'
	dd if=/dev/zero bs=1 count=40 2>/dev/null >>"$1"
}
dd if="$traces/minimal-trace" bs=256 count=1 of=header 2>/dev/null
section one '\0' '\10' '\0'
bytes body '\15\11\1\177\7\50\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25\26\27' \
	'\13\41\177\12\100\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' '\20\20\1\2\3\0\1' '\43\2\4\6'
section two '\2' '\14' '\1'
n=0
while [ $n -lt 28 ]; do
	bytes front "$(printf '\\%03o' $n)" '\0\0\0\0\0\0\0'
	cat front header one body two body >"$to/pipeline/short-$n"
	bytes front "$(printf '\\%03o' $((128 + n % 6)))" '\100'
	cat front header one body two body >"$to/partial/short-$n"
	bytes front "$(printf '\\%03o' $((2 * (n % 4))))" '\2\1\1\100\0\100\0'
	cat front header one body two body one body one body >"$to/cuts/short-$n"
	n=$((n + 1))
done
cat header one body two body >"$to/sections/short"
# More intervals than are kept one by one: a group is a label's start and end here.
awk 'BEGIN {
	for (i = 0; i < 300; i++)
		printf "\\101\\101\\1\\%03o\\0\\0", i % 200
}' >many
bytes body "$(cat many)"
for kind in 0 9 16 18; do
	bytes front "\\$(printf %03o $kind)" '\0\0\0\0\0\0\0'
	cat front header one body >"$to/pipeline/many-$kind"
done
bytes front '\200\100'
cat front header one body >"$to/partial/many"
bytes front '\100\2\20\0\1\40\0\2'
cat front header one body >"$to/partial/many-changed"
bytes front '\2\2\1\1\100\0\100\0'
cat front header one body two body >"$to/cuts/many"
rm -f many
rm -f header one two body front

n=0
for schema in "$top"/formats/*.hooks "$top"/tests/golden/cases/*/*.hooks; do
	[ -f "$schema" ] || continue
	{ cat "$schema"; printf '\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0'; } >"$to/schema/$n"
	n=$((n + 1))
done
bytes "$to/schema/all" 'major 0x10 all "t"\nhook 1/0xF "h"\nu32 a hex\ni32 b na0\nu64 c ticks\n' \
	'i64 d ns\nfix4 e percent\nf64 f\nstring s\nrepeat a\nif b & 0x3\nu32 g\nend\nend\n' \
	'repeat 3\nu32 h\nend\n\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0\7\0\0\0'

# A provider's file: header with two blocks, a counterset with two counters, slots of which one is
# an instance. Then one that changes: a state, an id, its end.
zeros() {
	dd if=/dev/zero bs=1 count="$1" 2>/dev/null
}
{
	printf 'SWPROV01\1\0\0\0\2\0\0\0'
	zeros 48
	printf 'program'
	zeros 57
	printf '\1\0\0\0\0\0\0\0\0\200\0\0\251\0\0\0'
	zeros 16
	printf '\2\0\0\0\0\0\0\0\0\201\0\0\0\1\0\0\2\0\0\0\60\0\0\0'
	zeros 8
} >header
{
	zeros 16
	printf '\2\0\0\0\144\0\0\0\2\0\0\0\0\0\0\0\240\0\0\0\3\0\0\0\243\0\0\0\2\0\0\0'
	zeros 16
	for id in 1 5; do
		printf "\\$id\\0\\0\\0\\0\\1\\1\\0"
		zeros 16
		printf '\377\377\377\377\0\0\0\0\245\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0'
	done
	printf 'setHicntr'
	zeros 87
	printf '\1\0\0\0\0\0\0\0\7\0\0\0\2\0\0\0ab'
	zeros 46
	printf '\4\0\0\0\0\0\0\0\5'
	zeros 183
} >body
bytes front '\0\300\0'
cat front header body >"$to/counterset/one"
bytes front '\3\300\1\3\310\1\377\54\2\377\300\0'
cat front header body >"$to/counterset/changing"
rm -f header body front
# Three countersets, and samples of all kinds of specifications; live and of a trace.
name='\4Name\4Help'
columns='\1\11\22\34'
multi="\17\4$name$columns"'\3_T1\7\1\11\0\3\1\2\3\4\5\6\7\10\3a,b\1\0\5\11\1\224\303\266,x\2\1\1\1\1'
single="\4\4$name$columns"'\0\0\1\3\1\2\3\4\5\6\7\10\0\1'
all='\0\0\34\0\0*' one='\0\0\30\1\2?,?' alone='\0\0\15\0' first='\0\0\11\1'
n=0
for how in '\0' '\6'  '\17'; do
	bytes "$to/query/query-$n" "$how" '\1\2\3\4\5\6\7\10\0\0\220\43\50\134\331\1' \
		"$multi" "$single" "$multi" "$all$one$alone$first" '\3\0' '\4\310' '\3\200\5\0' \
		'\5\4\0\0' '\5\24\0\0' '\5\10\1\0' '\5\200\0\0' '\6\4\3\0' '\6\41\3\0' \
		'\6\11\3\0' '\1\1\34\0\0*' '\4\0' '\7\4\0\0\0\0\0\0\0\0'
	n=$((n + 1))
done

# Two countersets of two and three counters, their samples, a group of each kind of interval.
define='\0\2\0\1\2\0\3\1\3' other='\210\3\0\1\2\0\3\1\3\4\5'
samples='\1\111\0\7\11\1\7\12\377\2\6\5\3\7\1\377' more='\15\1\0\54'
intervals='\153\7\2\100\50\40\10\1\11\12\50\40\10\1\11\12\3\60\1\2\3\3\2\60\1\2\3\4\5\6'
n=0
for how in '\0' '\6' '\4'; do
	bytes "$to/replay/$n" "$how" '\0\0' "$define" "$other" "$samples" "$more" "$samples" "$more" \
		"$intervals" '\245' "$intervals" '\56\1\17\1\4'
	n=$((n + 1))
done

bytes "$to/codec/none" '\0\10\0abcdefgh'
bytes "$to/codec/lz4" '\1\10\0\200abcdefgh'
bytes "$to/codec/zlib" '\2\11\0\170\234\113\114\112\116\111\115\113\317\310\4\0\22\104\3\217'
bytes "$to/codec/packed-lz4" '\201aaaaaaaaaaaaaaaaaaaaaaaabcabcabcabcabcabc'
bytes "$to/codec/packed-zlib" '\202aaaaaaaaaaaaaaaaaaaaaaaabcabcabcabcabcabc'
n=0
for text in 2024-05-01T12:30:00.5Z 2024-02-29 '2024-05-01 12:30+02:00' 1700000000.25 -1 \
	+1.5s +20ms +3us +4ns +2m +1h; do
	printf '\1%s' "$text" >"$to/args/time-$n"
	n=$((n + 1))
done
for text in '*a?b[c-e]f\0xaybdf' '[!a-z]*\\\\*\0A*' 'a*b*c\0aXbYc' '[]]\0]'; do
	bytes "$to/args/glob-$n" '\0' "$text"
	n=$((n + 1))
done
for text in 'p90>+5%%' 'total<-1.5ms' 'lz4 *:cpi>0.25' '*\\:x:count>3' 'mean>+1e3us'; do
	bytes "$to/args/gate-$n" '\2' "$text" '\0lz4 x'
	n=$((n + 1))
done
n=0
for text in 'n=1 and d>1.5ms or not t=a*' 'd in (1us,2min, 0x3)' 't in (a*, "b c")' 'absent(n)' \
	'f(r>0.25 and f(a.x-y!=-1))' '{n}<=0xFF' '((n==1))' 't="a\\"b" and s>=-3' 'a.x=5h'; do
	bytes "$to/expression/$n" "$text"
	n=$((n + 1))
done
rm -rf "$traces"
