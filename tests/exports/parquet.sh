#!/bin/sh
# DuckDB and parquet-wasm read a Parquet file as intervals.csv, the summary and hooks.csv.
. "${0%/*}/lib.sh"

if is_read; then
	duckdb
	npm_package parquet-wasm 0.8.0 b3b9dff7561a35833bfed7c45f28279f981f9b10478a8c5b56c38f012c4c23ad
fi

export_all parquet
# Several row groups: of intervals, and of hooks.
"$GENTRACE" -k groups -n 130000 -p label,time rows.bin
"$GENTRACE" -k hooks -n 130000 hooks.bin
export_trace rows parquet
export_trace hooks parquet
names=''
for file in *.parquet; do
	name=${file%.parquet}
	if is_read; then
		names="$names $name"
		"$CPIDECODE" --format csv -o "$name.summary.csv" "$name.bin" 2>/dev/null
	fi
	[ "$name" != rows ] || continue
	"$CPIDECODE" --report hooks --format parquet -o "$name.hooks.parquet" "$name.bin" 2>/dev/null ||
		fail "$name: no hooks"
	! is_read || "$CPIDECODE" --report hooks --format csv -o "$name.hooks.csv" "$name.bin" 2>/dev/null
done
for name in arguments deep measured; do
	"$CPIDECODE" --format parquet --columns label,elapsed_ns,thread_cycles,parent_id,number,own_nested_ns,flags \
		-o $name.chosen.parquet $name.bin 2>/dev/null || fail "$name: no chosen columns"
done
"$CPIDECODE" --report hooks --format parquet --columns words,time_ns,name,minor,words -o measured.hooks.chosen.parquet \
	measured.bin 2>/dev/null || fail "no chosen columns of hooks"
# Pages by libzstd, where it is, hold the same.
for name in measured deep; do
	"$CPIDECODE" --format parquet --compress zstd -o $name.zstd.parquet $name.bin 2>zstd.err || break
done
"$CPIDECODE" --report hooks --format parquet --compress zstd -o measured.hooks.zstd.parquet measured.bin 2>zstd.err || :
if grep -q 'libzstd.so.1 is not here' zstd.err; then
	echo "skipped: pages by zstd: libzstd.so.1 is not here (Debian: libzstd1)"
elif [ ! -s deep.zstd.parquet ] || [ ! -s measured.hooks.zstd.parquet ]; then
	fail "--compress zstd: $(cat zstd.err)"
fi
# shellcheck disable=SC2086,SC2154
readers_agree 'traces, [0-9]+ intervals, [0-9]+ hooks' node "$here/parquet.mjs" "$work/modules" "${package-}" $names
in_file arguments.err '3 columns are of texts: the values of that name are of several types'
in_file deep.err 'parquet holds intervals: losses and what single processors counted are left out'

"$CPIDECODE" --format parquet - <deep.bin >piped 2>/dev/null
cmp -s piped deep.parquet || fail "from a pipe, it is another file"
run 2 --report summary --format parquet plain.bin
"$CPIDECODE" --format parquet --compress lz4 -o lz4 deep.bin 2>/dev/null
cmp -s lz4 deep.parquet || fail "--compress lz4 is not the default"
run 2 --format parquet --compress gzip -o refused plain.bin
in_file err '--compress: "gzip": expected lz4 or zstd'
run 2 --format sqlite --compress lz4 -o refused plain.bin
in_file err 'compress goes with --format parquet'
mkdir without
: >without/libzstd.so.1
status=0
LD_LIBRARY_PATH=$PWD/without "$CPIDECODE" --format parquet --compress zstd -o refused plain.bin 2>err || status=$?
[ "$status" -eq 2 ] || fail "without libzstd: exit $status"
in_file err '^cpidecode: --compress zstd: libzstd.so.1 is not here \(Debian: libzstd1\)'
[ ! -e refused ] || fail "left behind: refused"
