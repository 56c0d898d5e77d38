/*
 * The container, read from raw bytes through io/ alone. Most mutations by libFuzzer are followed by
 * correcting the checksums.
 */
#include "../../decoder/io/input.h"
#include "container.h"
#include "recipe.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, most);
	if (seed % 8)
		recipe_fix(data, size);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = exact_copy(data, size);

	container_read(bytes, size);
	free(bytes);
	return 0;
}
