# Sourced. sample_is_measured CPIDECODE TRACE CSV: compress_bench's intervals are there, and each
# has a measured raw, scaled and on-thread CPI.
sample_is_measured() {
	"$1" --strict --report intervals --format csv -o "$3" "$2" || return 1
	awk -F, '
	{ sub(/\r$/, "") }
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		n++
		for (name in column)
			if (name ~ /_cpi$/ && $column[name] !~ /^[0-9]/) { print NR ": no " name; bad = 1 }
		if ($column["thread_cpi"] != "1.0000") { print NR ": on-thread " $column["thread_cpi"]; bad = 1 }
	}
	END { if (n < 24) print n " intervals"; exit bad || n < 24 }' "$3"
}
