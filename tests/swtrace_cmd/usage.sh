# Help, and every wrong usage: exit code 2, one line, nothing done.
fresh

exits 0 "$SWTRACE" --help && says "$out" '^  doctor '
exits 0 "$SWTRACE" --version && says "$out" '^swtrace [0-9]'
exits 0 "$SWTRACE" -V && says "$out" '^swtrace [0-9]'
exits 0 "$SWTRACE" help dump && says "$out" '^usage: swtrace dump'
for verb in init install on off enable disable maj info dump get free run record doctor; do
	exits 0 "$SWTRACE" $verb --help && says "$out" "^usage: swtrace $verb"
done

while read -r arguments; do
	case $arguments in '' | '#'*) continue ;; esac
	# Words are split; an empty one is written ''.
	eval "refuses 2 \"\$SWTRACE\" $arguments"
done <<'TABLE'
nonsense
help nonsense
init -s4x
init -S4
''
-x
init -x
init 3
init -s
init -s 0
init -s 65537
init -s -1
init -s 1.5
init -s 99999999999999999999999
init -s 0x10
init -s ''
init -s 3MB
init -t
init -t cont
init -t WRAP
init -t cont -f
init -t cont -f ''
init -t cont -f -
init -t cont -f x.bin --rotate 1023K
init -t cont -f x.bin --rotate 0.5G
init -t cont -f x.bin --rotate 1T
init -t cont -f x.bin --rotate M
init -t cont -f x.bin --rotate 99999999999999999999G
init -t cont -f x.bin --keep 3
init -t cont -f x.bin --rotate 1M --keep 0
init -t cont -f x.bin --rotate 1M --keep -1
init -t cont -f x.bin --rotate 1M --keep x
init -t cont -f x.bin --compress gzip
init -f -
init -f ''
init --compress lz4
init --rotate 1M
init --keep 3
init --drain-threads 2
init -t cont -f x.bin --drain-threads 0
init -t cont -f x.bin --drain-threads 65
init -t wrap -f -
init -t norm --rotate 1M --keep 3
init -ss 3
init -ss 8193
init -ss x
init -g
init -g no-such-group-here
init -g 4294967295
init --json
install now
on now
off -f
free all
enable 256
enable -1
enable 0x100
enable 0x
enable 12 x
enable 1,2
enable --all
disable 256
disable cpi
maj 12
maj --jsno
info x
info --json=1
dump a b
dump ''
dump --compress
dump --compress gzip
dump --compress=
dump -z
get a b
run
run --
run -s 0 -- true
run -o
run -o '' -- true
run --compress x -- true
run -t cont -- true
run --rotate 1M -- true
record -o
record -o '' -- true
record -t cont -- true
record --duration
record --duration 0
record --duration 0ms
record --duration -1
record --duration 1x
record --duration s
record --duration .5s
record --duration 1.s
record --duration 99999999999999h
record --keep 2 -- true
record --drain-threads x -- true
record --rotate 4 -- true
record --rotate 1M -o - -- true
record --compress x -- true
record -s 0 -- true
record --force -- true
record --nonsense -- true
record -f x.bin -- true
run -q -- true
doctor x
doctor --text
TABLE
refuses 2 "$SWTRACE"

if [ -e "$SWTRACE_SESSION" ]; then
	fail "wrong usage made a session"
else
	pass
fi
SWTRACE_SESSION=relative refuses 1 "$SWTRACE" init
SWTRACE_SESSION=relative refuses 1 "$SWTRACE" info
if [ -c /dev/full ]; then
	fresh
	"$SWTRACE" init -s 1 2>"$err"
	"$SWTRACE" info >/dev/full 2>"$err"
	same "info to a full disk" $? 1
	"$SWTRACE" free
fi

fresh
# A value may join its short option; the longest option wins.
exits 0 "$SWTRACE" init -s4 -ss8 -t normal
says "$err" '4096 KiB each, sections of 8 KiB, mode norm'
exits 0 "$SWTRACE" free
