/*
 * The sequences for x86-64. Stores become visible in program order there, so the order
 * of the instructions is the order a reader on another CPU sees. Included by rseq.h.
 */

/* Starts a sequence: 1 is its first instruction, 2 the one after its commit, 4 where an
 * abort goes. The signature before 4 hides in the operand of a ud1 instruction. */
#define RSEQ_DESCRIBE                                                                              \
	".pushsection __rseq_cs, \"aw\"\n\t"                                                       \
	".balign 32\n\t"                                                                           \
	"3:\n\t"                                                                                   \
	".long 0, 0\n\t"                                                                           \
	".quad 1f, (2f - 1f), 4f\n\t"                                                              \
	".popsection\n\t"                                                                          \
	"leaq 3b(%%rip), %%rax\n\t"                                                                \
	"movq %%rax, 8(%[rs])\n\t"                                                                 \
	"1:\n\t"

/* And continues only on the CPU that the caller means. */
#define RSEQ_BEGIN                                                                                 \
	RSEQ_DESCRIBE                                                                              \
	"cmpl %[cpu], 4(%[rs])\n\t"                                                                \
	"jne %l[aborted]\n\t"

#define RSEQ_END                                                                                   \
	"2:\n\t"                                                                                   \
	".pushsection __rseq_failure, \"ax\"\n\t"                                                  \
	".byte 0x0f, 0xb9, 0x3d\n\t"                                                               \
	".long %c[sig]\n\t"                                                                        \
	"4:\n\t"                                                                                   \
	"jmp %l[aborted]\n\t"                                                                      \
	".popsection\n\t"

/* The time for rseq_reserve: after the caller's loads of the thread, which was attached before. */
static inline uint64_t rseq_clock(void)
{
	uint64_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return low | high << 32;
}

/*
 * Reserves `size` bytes at head of this CPU's ring, if head is not on a section's first byte
 * and the record fits in the section. *at: the record, with size, thread id and stamp.
 *
 * The stamp is `now`, read just before: inside the sequence, rdtsc costs 2 ns more in a program
 * that keeps the processor busy. A writer that runs in between has a later one: the stamp is raised
 * to the ring's last one, and so never goes below it, whatever the clock does. head and lap are
 * untrusted: their difference is an offset only if it is below the size of the data, and bounds are
 * checked on that.
 */
static inline __attribute__((always_inline)) enum rseq_result rseq_reserve(struct rseq *rs,
	const struct ring_map *map, uint64_t size, const struct ring_thread *self, uint64_t now,
	uint64_t *stamp, uint8_t **at)
{
	uint64_t s, o, ring = (uint64_t)(uintptr_t)rs; /* one register: it has few */
	bool failed;

	/* The carry flag says that it failed: the commit leaves it clear, as no head ever gets
	 * to 2^64. (From one that was scribbled there, the record stays uncommitted.) */
	/* Not asm goto: with outputs, compilers of today get that wrong. */
	__asm__ volatile(
		RSEQ_DESCRIBE "movq %[now], %%rax\n\t"
			      "movl 4(%[rs]), %k[rs]\n\t"
			      "cmpl %c[cpus](%[map]), %k[rs]\n\t"
			      "jae 6f\n\t"
			      "imulq %c[stride](%[map]), %[rs]\n\t"
			      "addq %c[rings](%[map]), %[rs]\n\t"
			      "movq 8(%[rs]), %%rdx\n\t"
			      "cmpq %%rdx, %%rax\n\t"
			      "cmovbq %%rdx, %%rax\n\t"
			      "movq (%[rs]), %[o]\n\t"
			      "subq 16(%[rs]), %[o]\n\t"
			      "cmpq %c[data_bytes](%[map]), %[o]\n\t"
			      "jae 6f\n\t"
			      "leal -1(%k[o]), %%edx\n\t"
			      "andl %c[mask](%[map]), %%edx\n\t"
			      "addl %k[size], %%edx\n\t"
			      "cmpl %c[section](%[map]), %%edx\n\t"
			      "jae 6f\n\t"
			      "addq %c[data](%[map]), %[o]\n\t"
			      "addq %[rs], %[o]\n\t"
			      "movl %[number], %%edx\n\t"
			      "movl %k[size], (%[o])\n\t"
			      "movl %%edx, 12(%[o])\n\t"
			      "movq %%rax, 16(%[o])\n\t"
			      "movq %%rax, 8(%[rs])\n\t"
			      "addq %[size], (%[rs])\n\t"
			      "2:\n\t"
			      ".pushsection __rseq_failure, \"ax\"\n\t"
			      ".byte 0x0f, 0xb9, 0x3d\n\t"
			      ".long %c[sig]\n\t"
			      "4:\n\t"
			      "movl %[was_aborted], %k[o]\n\t"
			      "stc\n\t"
			      "jmp 5f\n\t"
			      "6:\n\t"
			      "movl %[was_out], %k[o]\n\t"
			      "stc\n\t"
			      "jmp 5f\n\t"
			      ".popsection\n\t"
			      "5:\n\t"
		: "=&a"(s), [o] "=&r"(o), [rs] "+&r"(ring), "=@ccc"(failed)
		: [now] "r"(now), [map] "r"(map), [size] "r"(size), [number] "m"(self->number),
		RSEQ_MAP(cpus, geometry.cpus), RSEQ_MAP(stride, geometry.ring_stride),
		RSEQ_MAP(rings, rings), RSEQ_MAP(data_bytes, data_bytes),
		RSEQ_MAP(mask, section_mask), RSEQ_MAP(section, geometry.section_size),
		RSEQ_MAP(data, geometry.data_offset), [sig] "i"(RSEQ_SIG),
		[was_aborted] "i"(RSEQ_ABORTED), [was_out] "i"(RSEQ_OUT)
		: "memory", "rdx");
	*stamp = s;
	*at = (uint8_t *)o;
	return failed ? (enum rseq_result)o : RSEQ_DONE;
}

/*
 * Enters the section at op->head with its first record. The counts and the entry word
 * come before the record: a writer that finds the entry word finds the section free and counted; a
 * reader whose copy holds a byte of this record finds the entry word changed. The counts leave out
 * discarded hooks, and a dump keeps its sections: so not if the ring's start or keep has changed.
 * Nor if the section was entered since: an aborted entry's counts are in force, and may have been
 * taken for a discard's zero.
 */
static inline enum rseq_result rseq_enter(struct rseq *rs, uint32_t cpu, struct rseq_op *op)
{
	__asm__ goto(RSEQ_BEGIN "movq (%[ring]), %%rax\n\t"
				"cmpq %c[head](%[op]), %%rax\n\t"
				"jne %l[out]\n\t"
				"movq %c[changes_at](%[op]), %%rax\n\t"
				"movq (%%rax), %%rax\n\t"
				"cmpq %c[changes](%[op]), %%rax\n\t"
				"jne %l[out]\n\t"
				"movq (%[sec]), %%rax\n\t"
				"cmpq %c[seen](%[op]), %%rax\n\t"
				"jne %l[out]\n\t"
				"movq %c[stamp](%[op]), %%rdx\n\t"
				"movq 8(%[ring]), %%rax\n\t"
				"cmpq %%rax, %%rdx\n\t"
				"cmovbq %%rax, %%rdx\n\t"
				"movq %c[overwritten](%[op]), %%rax\n\t"
				"movq %%rax, (%[counts])\n\t"
				"movq %c[torn](%[op]), %%rax\n\t"
				"movq %%rax, 8(%[counts])\n\t"
				"movq %c[lost](%[op]), %%rax\n\t"
				"movq %%rax, 16(%[counts])\n\t"
				"movq %c[lap](%[op]), %%rax\n\t"
				"movq %%rax, 16(%[ring])\n\t"
				"movq %c[entry](%[op]), %%rax\n\t"
				"movq %%rax, (%[sec])\n\t"
				"movl %c[control](%[op]), %%eax\n\t"
				"movl %%eax, (%[at])\n\t"
				"movl %c[number](%[op]), %%eax\n\t"
				"movl %%eax, 12(%[at])\n\t"
				"movq %%rdx, 16(%[at])\n\t"
				"movq %%rdx, 8(%[ring])\n\t"
				"movq %%rdx, %c[stamp](%[op])\n\t"
				"movq %c[next](%[op]), %%rax\n\t"
				"movq %%rax, (%[ring])\n\t" RSEQ_END
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [op] "r"(op), [ring] "r"(op->ring),
		     [sec] "r"(op->section), [counts] "r"(op->counts), [at] "r"(op->at),
		     RSEQ_OP(head), RSEQ_OP(changes_at), RSEQ_OP(changes), RSEQ_OP(seen),
		     RSEQ_OP(overwritten), RSEQ_OP(torn), RSEQ_OP(lost), RSEQ_OP(lap),
		     RSEQ_OP(entry), RSEQ_OP(control), RSEQ_OP(number), RSEQ_OP(stamp),
		     RSEQ_OP(next), [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "rax", "rdx"
		     : aborted, out);
	RSEQ_RETURN;
}

/* Fills the rest of a section with a pad and moves head to the next section. */
static inline enum rseq_result rseq_pad(struct rseq *rs, uint32_t cpu, const struct rseq_op *op)
{
	__asm__ goto(RSEQ_BEGIN "movq (%[ring]), %%rax\n\t"
				"cmpq %c[head](%[op]), %%rax\n\t"
				"jne %l[out]\n\t"
				"movl %c[control](%[op]), %%eax\n\t"
				"movl %%eax, (%[at])\n\t"
				"movq %c[next](%[op]), %%rax\n\t"
				"movq %%rax, (%[ring])\n\t" RSEQ_END
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [op] "r"(op), [ring] "r"(op->ring),
		     [at] "r"(op->at), RSEQ_OP(head), RSEQ_OP(control),
		     RSEQ_OP(next), [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "rax"
		     : aborted, out);
	RSEQ_RETURN;
}

/*
 * Moves head over held sections; stores nothing else. Not if the first of them was
 * entered in the meantime (by a writer that was interrupted before its head): a reader would
 * mistake old bytes for its contents.
 */
static inline enum rseq_result rseq_skip(struct rseq *rs, uint32_t cpu, const struct rseq_op *op)
{
	__asm__ goto(RSEQ_BEGIN "movq (%[ring]), %%rax\n\t"
				"cmpq %c[head](%[op]), %%rax\n\t"
				"jne %l[out]\n\t"
				"movq (%[sec]), %%rax\n\t"
				"cmpq %c[seen](%[op]), %%rax\n\t"
				"jne %l[out]\n\t"
				"movq %c[next](%[op]), %%rax\n\t"
				"movq %%rax, (%[ring])\n\t" RSEQ_END
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [op] "r"(op), [ring] "r"(op->ring),
		     [sec] "r"(op->section), RSEQ_OP(head), RSEQ_OP(seen),
		     RSEQ_OP(next), [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "rax"
		     : aborted, out);
	RSEQ_RETURN;
}

/* Adds to a counter of this CPU's ring. */
static inline enum rseq_result rseq_add(
	struct rseq *rs, uint32_t cpu, uint64_t *counter, uint64_t n)
{
	__asm__ goto(RSEQ_BEGIN "addq %[n], (%[counter])\n\t" RSEQ_END
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [counter] "r"(counter), [n] "r"(n),
		     [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "rax"
		     : aborted);

	return RSEQ_DONE;
aborted:
	return RSEQ_ABORTED;
}
