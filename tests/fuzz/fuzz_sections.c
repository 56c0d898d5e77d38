/* The container and all its sections but hooks, behind valid checksums. */
#include "../../decoder/model/trace/trace.h"
#include "container.h"
#include "recipe.h"

static void read_trace(const uint8_t *bytes, size_t n, enum trace_verify how)
{
	struct trace *t;

	PROMISE(!trace_new(&t), "an empty trace");
	trace_set_verify(t, how);
	int rc = trace_add_memory(t, bytes, n, "memory");
	PROMISE(rc <= 0 && trace_nfiles(t) == (rc ? 0 : 1), "code %d", rc);
	if (!rc) {
		const struct trace_file *f = trace_file(t, 0);
		uint64_t sections = 0;

		for (unsigned i = 0; i < sizeof f->sections_of / sizeof *f->sections_of; i++)
			sections += f->sections_of[i];
		PROMISE(sections == f->sections, "sections of all types");
		for (size_t i = 0; i < f->nmeta; i++)
			PROMISE(!f->meta[i].key[f->meta[i].key_length] &&
					!f->meta[i].value[f->meta[i].value_length],
				"META %zu", i);
		for (size_t i = 1; i < f->ndamage; i++)
			PROMISE(f->damage[i - 1].offset <= f->damage[i].offset, "damage %zu", i);
		for (size_t i = 1; i < f->nrings; i++)
			PROMISE(f->rings[i - 1].ring < f->rings[i].ring, "ring %zu", i);
	}
	trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes file = {0};

	recipe_build(data, size, &file);
	uint8_t *bytes = exact_copy(file.p, file.n);
	container_read(bytes, file.n);
	read_trace(bytes, file.n, VERIFY_ALL);
	read_trace(bytes, file.n, VERIFY_LATER);
	free(bytes);
	bytes_free(&file);
	return 0;
}
