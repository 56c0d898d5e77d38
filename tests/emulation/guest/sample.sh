# The trace in samples/: a real workload, with every figure measured.
SWTRACE_CPU_HZ=1000000000
export SWTRACE_CPU_HZ
if swtrace run -o /out/sample.bin -- compress_bench -t 2 -r 2 /files/* >/tmp/bench 2>&1; then
	ok "compress_bench: recorded"
else
	no "compress_bench: recorded" "$(tail -n 1 /tmp/bench)"
fi
unset SWTRACE_CPU_HZ
