-- The fleet's intervals in a folder that `cpidecode --format parquet --partition host,date,version=V`
-- filled: its summary, and its top regressions between two versions. lake.md explains. DuckDB:
--
--	set variable lake = 'lake'; set variable before = '1.0'; set variable after = '1.1';
--	.read lake.sql
--	from regressions limit 20;

create or replace view intervals as
from read_parquet(getvariable('lake') || '/**/*.parquet', union_by_name = true,
	hive_partitioning = true,
	hive_types = {'host': varchar, 'date': date, 'version': varchar});

-- The beginning and the width of the bucket of a time: 128 buckets per doubling.
create or replace macro bucket_bits(ns) as greatest(length(bin(ns)) - 8, 0)::ubigint;
create or replace macro bucket_of(ns) as (ns >> bucket_bits(ns)) << bucket_bits(ns);
create or replace macro bucket_width(low) as 1::ubigint << bucket_bits(low);

-- A row for each trace's label, minor and major. It may be kept in place of the intervals
-- (copy (from summaries) to 'summaries' (format parquet, partition_by (host, date, version))).
create or replace view summaries as
select version, host, date, label, minor, major, count(*) as count, sum(elapsed_ns)::ubigint as total_ns,
	min(elapsed_ns) as min_ns, max(elapsed_ns) as max_ns,
	histogram(bucket_of(elapsed_ns)) as histogram
from intervals
where not list_contains(string_split(flags, '+'), 'open')
group by all;

-- Merged histograms: counts of equal buckets add up, exactly and in any order.
create or replace view buckets as
select version, label, minor, major, entry.key as low, sum(entry.value)::ubigint as count
from (select version, label, minor, major, unnest(map_entries(histogram)) as entry from summaries)
group by all;

create or replace view versions as
select version, label, minor, major, sum(count)::ubigint as count, sum(total_ns) as total_ns,
	min(min_ns) as min_ns, max(max_ns) as max_ns, count(distinct host) as hosts
from summaries
group by all;

-- Nearest rank, as in the summary: the middle of the bucket with that rank. The outermost buckets end
-- at the least and the greatest value.
create or replace view percentiles as
with ranks as (
	select *, sum(count) over (partition by version, label, minor, major order by low) as up_to
	from buckets
), found as (
	select r.version, r.label, r.minor, r.major, percent, min(low) as low, any_value(v.count) as count,
		any_value(v.min_ns) as min_ns, any_value(v.max_ns) as max_ns
	from ranks r
	join versions v on v.version = r.version and v.label is not distinct from r.label
		and v.minor = r.minor and v.major = r.major,
		unnest([50, 90, 99]) as p(percent)
	where r.up_to >= ceil(v.count * percent / 100)
	group by all
)
select version, label, minor, major, percent,
	case when ceil(count * percent / 100) <= 1 then min_ns
		when ceil(count * percent / 100) >= count then max_ns
		else greatest(low, min_ns)
			+ (least(low + bucket_width(low) - 1, max_ns) - greatest(low, min_ns)) // 2 end as ns
from found;

-- One figure per host, because hosts differ by more than the intervals of one host.
create or replace view hosts as
select version, host, label, minor, major, sum(total_ns) / sum(count) as mean_ns
from summaries
group by all;

-- cost_s: the change of total time over all intervals of the version after. p99s are of all
-- hosts. t: the difference in standard errors between hosts (Welch), with df degrees of freedom.
create or replace view regressions as
with sides as (
	select h.version, h.label, h.minor, h.major, count(*) as hosts, avg(mean_ns) as mean_ns,
		var_samp(mean_ns) / count(*) as variance
	from hosts h
	group by all
)
select b.label, b.minor, b.major, b.hosts as hosts_before, a.hosts as hosts_after,
	b.mean_ns as before_ns, a.mean_ns as after_ns,
	100 * (a.mean_ns - b.mean_ns) / b.mean_ns as change_pct,
	pb.ns as p99_before_ns, pa.ns as p99_after_ns,
	v.count * (a.mean_ns - b.mean_ns) / 1e9 as cost_s,
	(a.mean_ns - b.mean_ns) / sqrt(a.variance + b.variance) as t,
	(a.variance + b.variance) ** 2
		/ (a.variance ** 2 / (a.hosts - 1) + b.variance ** 2 / (b.hosts - 1)) as df
from sides b
join sides a on a.label is not distinct from b.label and a.minor = b.minor and a.major = b.major
join versions v on v.version = a.version and v.label is not distinct from a.label and v.minor = a.minor
	and v.major = a.major
left join percentiles pb on pb.version = b.version and pb.label is not distinct from b.label
	and pb.minor = b.minor and pb.major = b.major and pb.percent = 99
left join percentiles pa on pa.version = a.version and pa.label is not distinct from a.label
	and pa.minor = a.minor and pa.major = a.major and pa.percent = 99
where b.version = getvariable('before') and a.version = getvariable('after')
order by cost_s desc nulls last;
