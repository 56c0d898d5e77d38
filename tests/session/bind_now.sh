# Checks that each library given is bound at load time.
status=0
for library; do
	if ! readelf --dynamic --wide "$library" | grep -q 'FLAGS.*NOW'; then
		echo "$library is bound lazily" >&2
		status=1
	fi
done
exit $status
