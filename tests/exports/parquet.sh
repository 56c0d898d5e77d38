#!/bin/sh
# What DuckDB and parquet-wasm read of a Parquet file equals intervals.csv, the summary and hooks.csv.
. "${0%/*}/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "DuckDB's package is pinned for x86_64, this is $(uname -m)"

# duckdb_package NAME SHA256: at its place in modules/.
duckdb_package()
{
	npm_package "@duckdb/$1" 1.5.6-r.1 "$2"
	mkdir -p modules/node_modules/@duckdb
	# shellcheck disable=SC2154 # of lib.sh
	mv "$package" "modules/node_modules/@duckdb/$1"
}
duckdb_package node-api 64d5080af3c0144329f9cbdbff7bc867c9c1f9df57a7e7e2a8b13bc6ed2bc664
duckdb_package node-bindings 9d1ebca9020dcd5680e2e38bd182f1a0e69e59f00d31dfc5afca2623b8a34ac3
duckdb_package node-bindings-linux-x64 1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
npm_package parquet-wasm 0.8.0 b3b9dff7561a35833bfed7c45f28279f981f9b10478a8c5b56c38f012c4c23ad

# shellcheck disable=SC2154 # of lib.sh
cp "$here/../../samples/measured.trace" measured.bin
export_trace measured parquet
export_all parquet
# Several row groups.
"$GENTRACE" -k groups -n 130000 -p label,time rows.bin
export_trace rows parquet
names=''
for file in *.parquet; do
	name=${file%.parquet}
	"$CPIDECODE" --report hooks --format parquet -o "$name.hooks.parquet" "$name.bin" 2>/dev/null ||
		fail "$name: no hooks"
	is_read "$name" || continue
	"$CPIDECODE" --format csv -o "$name.summary.csv" "$name.bin" 2>/dev/null
	"$CPIDECODE" --report hooks --format csv -o "$name.hooks.csv" "$name.bin" 2>/dev/null
	names="$names $name"
done
# shellcheck disable=SC2086,SC2154
node "$here/parquet.mjs" "$work/modules" "$package" $names >equal 2>&1 || fail "$(cat equal)"
in_file equal '^ok: [0-9]+ traces, [0-9]+ intervals, [0-9]+ hooks$'
in_file arguments.err '3 columns are of texts: the values of that name are of several types'
in_file deep.err 'parquet holds intervals: losses and what single processors counted are left out'

"$CPIDECODE" --format parquet - <deep.bin >piped 2>/dev/null
cmp -s piped deep.parquet || fail "from a pipe, it is another file"
run 2 --report summary --format parquet plain.bin
