#!/bin/sh
# Runs samples/fleet/lake.sql in DuckDB on a folder written by --partition.
. "${0%/*}/lib.sh"

! is_read || duckdb

# make FILE HOST SEED PERCENT PERCENT: 300 intervals each of steady and slow, and 300 light ones that are
# called steady, too; a host's are so many percent longer, and slow's so many more.
make()
{
	awk -v host="$2" -v seed="$3" -v off="$4" -v more="$5" 'BEGIN {
		print "clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000"
		printf "id \"%016d\"\n", seed
		print "section meta\n| host: " host "\nsection hooks ring=0"
		x = seed
		for (i = 0; i < 600; i++) {
			x = (x * 16807) % 2147483647
			printf "group mm=0 tid=7 at=%d elapsed=%d types=1 label=\"%s\" detailed\n", 10000 * (i + 1),
				(1000 + x % 1000) * (100 + off + (i % 2 ? more : 0)) / 100, i % 2 ? "slow" : "steady"
			print "cpu 1000 1000 0\nendgroup"
			if (i % 2)
				printf "hook 0xC2 0x20000000 tid=7 at=%d 9 0 64:%d 0 1 \"steady\"\n", 10000 * (i + 1) + 10,
					5000 + x % 1000
		}
		print "section end"
	}' | "$MKTRACE" - "$1"
}
mkdir old new
n=0
# Hosts differ by up to 6 percent.
for host in db-1 db-2 'rack 3/b' 'h=4'; do
	n=$((n + 1))
	make old/$n.bin "$host" $n $((2 * n)) 0
	make new/$n.bin "$host" $((n + 10)) $((2 * n)) 20
	run 0 --format parquet --partition host,date,version=1.0 -o lake old/$n.bin
done
run 0 --format parquet --partition host,date,version=1.1 -o lake new
! is_read || for version in old new; do
	"$CPIDECODE" --format csv -o $version.csv $version/*.bin 2>/dev/null
done
# Again: the same traces, the same files.
run 0 --format parquet --partition host,date,version=1.0 -o lake old
[ "$(find lake -type f | wc -l)" -eq 8 ] || fail "other files than one for each trace: $(find lake -type f)"

is_read || exit 0
# shellcheck disable=SC2154 # of lib.sh
node "$here/lake.mjs" "$work/modules" lake "$here/../../samples/fleet/lake.sql" 1.0=old.csv 1.1=new.csv \
	>said 2>&1 || fail "$(cat said)"
in_file said '"host":"rack 3/b","date":"2023-11-14","version":"1.0","intervals":900'
in_file said '"host":"h=4","date":"2023-11-14","version":"1.1","intervals":900'
in_file said '^\["slow",0,192,4,4,1[0-9](\.[0-9])?,"change"\]$'
in_file said '^\["steady",0,192,4,4,-?[01](\.[0-9])?,"noise"\]$'
in_file said '^\["steady",0,194,4,4,-?[01](\.[0-9])?,"noise"\]$'
in_file said '^ok: 6 groups$'
