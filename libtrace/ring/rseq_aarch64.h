/*
 * The sequences for AArch64. Included by rseq.h.
 *
 * Order. A reader acquires head and then reads control words: head is stored with release (pairs
 * with the acquire in reader.c and target_survey_section), so that every record below it shows its
 * control word, thread and stamp. A record's control word is stored with release too: a signal
 * handler's record may not be seen before the reservation it interrupted. After head, a store
 * barrier (dmb ishst): the payload's plain stores may not be seen before head, or a reader's second
 * read could miss that its copy was overwritten. After an entry word, the same: a reader whose copy
 * holds a new byte finds the new entry word. lap is stored with release: it may not be seen before
 * the head on a boundary that a pad or a skip stored, or a writer elsewhere finds it wrong for a
 * head that did not move (target_switch_section) and calls the ring scribbled on. An acquire load
 * between the two would order them where it is an ldar, and not where the compiler makes it an
 * ldapr (Armv8.3 and later). Nothing weaker: stlr orders only earlier accesses. In tests/litmus:
 * head-release, handler-order, payload-after-head, entry-guard, lap-release.
 */

#define RSEQ_DESCRIBE                                                                              \
	".pushsection __rseq_cs, \"aw\"\n\t"                                                       \
	".balign 32\n\t"                                                                           \
	"3:\n\t"                                                                                   \
	".long 0, 0\n\t"                                                                           \
	".quad 1f, (2f - 1f), 4f\n\t"                                                              \
	".popsection\n\t"                                                                          \
	"adrp x9, 3b\n\t"                                                                          \
	"add x9, x9, :lo12:3b\n\t"                                                                 \
	"str x9, [%[rs], #8]\n\t"                                                                  \
	"1:\n\t"

/* And continues only on the CPU that the caller means. */
#define RSEQ_BEGIN                                                                                 \
	RSEQ_DESCRIBE                                                                              \
	"ldr w9, [%[rs], #4]\n\t"                                                                  \
	"cmp w9, %w[cpu]\n\t"                                                                      \
	"b.ne 4f\n\t"

#define RSEQ_END                                                                                   \
	"2:\n\t"                                                                                   \
	"b 5f\n\t"                                                                                 \
	".inst %c[sig]\n\t"                                                                        \
	"4:\n\t"                                                                                   \
	"b %l[aborted]\n\t"                                                                        \
	"5:\n\t"

/* The same, and 6 if the code leaves the sequence on its own. */
#define RSEQ_END_OUT                                                                               \
	"2:\n\t"                                                                                   \
	"b 5f\n\t"                                                                                 \
	".inst %c[sig]\n\t"                                                                        \
	"4:\n\t"                                                                                   \
	"b %l[aborted]\n\t"                                                                        \
	"6:\n\t"                                                                                   \
	"b %l[out]\n\t"                                                                            \
	"5:\n\t"

/* The time for rseq_reserve, as on x86-64. */
static inline uint64_t rseq_clock(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

/* Like x86-64's; an offset that is not aligned is refused too: stlr would fault there. */
static inline __attribute__((always_inline)) enum rseq_result rseq_reserve(struct rseq *rs,
	const struct ring_map *map, uint64_t size, const struct ring_thread *self, uint64_t now,
	uint64_t *stamp, uint8_t **at)
{
	uint64_t s = now, ring, o;

	__asm__ volatile(
		RSEQ_DESCRIBE "ldr w9, [%[rs], #4]\n\t"
			      "ldr w10, [%[map], %[cpus]]\n\t"
			      "cmp w9, w10\n\t"
			      "b.hs 6f\n\t"
			      "ldr x10, [%[map], %[stride]]\n\t"
			      "ldr %[ring], [%[map], %[rings]]\n\t"
			      "madd %[ring], x9, x10, %[ring]\n\t"
			      "ldr x9, [%[ring], #8]\n\t"
			      "cmp %[s], x9\n\t"
			      "csel %[s], %[s], x9, hs\n\t"
			      "ldr x10, [%[ring]]\n\t"
			      "ldr x9, [%[ring], #16]\n\t"
			      "sub %[o], x10, x9\n\t"
			      "tst %[o], #7\n\t"
			      "b.ne 6f\n\t"
			      "ldr x9, [%[map], %[data_bytes]]\n\t"
			      "cmp %[o], x9\n\t"
			      "b.hs 6f\n\t"
			      "ldr w9, [%[map], %[mask]]\n\t"
			      "sub w11, %w[o], #1\n\t"
			      "and w9, w9, w11\n\t"
			      "add w9, w9, %w[size]\n\t"
			      "ldr w11, [%[map], %[section]]\n\t"
			      "cmp w9, w11\n\t"
			      "b.hs 6f\n\t"
			      "ldr x9, [%[map], %[data]]\n\t"
			      "add %[o], %[o], x9\n\t"
			      "add %[o], %[o], %[ring]\n\t"
			      "ldr w9, %[number]\n\t"
			      "stlr %w[size], [%[o]]\n\t"
			      "str w9, [%[o], #12]\n\t"
			      "str %[s], [%[o], #16]\n\t"
			      "str %[s], [%[ring], #8]\n\t"
			      "add x10, x10, %[size]\n\t"
			      "stlr x10, [%[ring]]\n\t"
			      "2:\n\t"
			      "dmb ishst\n\t"
			      "b 5f\n\t"
			      ".inst %c[sig]\n\t"
			      "4:\n\t"
			      "mov %[o], %[was_aborted]\n\t"
			      "b 5f\n\t"
			      "6:\n\t"
			      "mov %[o], %[was_out]\n\t"
			      "5:\n\t"
		: [s] "+&r"(s), [o] "=&r"(o), [ring] "=&r"(ring)
		: [rs] "r"(rs), [map] "r"(map), [size] "r"(size), [number] "m"(self->number),
		RSEQ_MAP(cpus, geometry.cpus), RSEQ_MAP(stride, geometry.ring_stride),
		RSEQ_MAP(rings, rings), RSEQ_MAP(data_bytes, data_bytes),
		RSEQ_MAP(mask, section_mask), RSEQ_MAP(section, geometry.section_size),
		RSEQ_MAP(data, geometry.data_offset), [sig] "i"(RSEQ_SIG),
		[was_aborted] "i"(RSEQ_ABORTED), [was_out] "i"(RSEQ_OUT)
		: "memory", "cc", "x9", "x10", "x11");
	*stamp = s;
	*at = (uint8_t *)o;
	return o > RSEQ_OUT ? RSEQ_DONE : (enum rseq_result)o;
}

static inline enum rseq_result rseq_enter(struct rseq *rs, uint32_t cpu, struct rseq_op *op)
{
	__asm__ goto(RSEQ_BEGIN "ldr x9, [%[ring]]\n\t"
				"ldr x11, [%[op], %[head]]\n\t"
				"cmp x9, x11\n\t"
				"b.ne 6f\n\t"
				"ldr x9, [%[op], %[changes_at]]\n\t"
				"ldr x9, [x9]\n\t"
				"ldr x11, [%[op], %[changes]]\n\t"
				"cmp x9, x11\n\t"
				"b.ne 6f\n\t"
				"ldr x9, [%[sec]]\n\t"
				"ldr x11, [%[op], %[seen]]\n\t"
				"cmp x9, x11\n\t"
				"b.ne 6f\n\t"
				"ldr x10, [%[op], %[stamp]]\n\t"
				"ldr x9, [%[ring], #8]\n\t"
				"cmp x10, x9\n\t"
				"csel x10, x10, x9, hs\n\t"
				"ldr x9, [%[op], %[overwritten]]\n\t"
				"str x9, [%[counts]]\n\t"
				"ldr x9, [%[op], %[torn]]\n\t"
				"str x9, [%[counts], #8]\n\t"
				"ldr x9, [%[op], %[lost]]\n\t"
				"str x9, [%[counts], #16]\n\t"
				"ldr x9, [%[op], %[lap]]\n\t"
				"add x11, %[ring], #16\n\t"
				"stlr x9, [x11]\n\t"
				"ldr x9, [%[op], %[entry]]\n\t"
				"stlr x9, [%[sec]]\n\t"
				"dmb ishst\n\t"
				"ldr w9, [%[op], %[control]]\n\t"
				"stlr w9, [%[at]]\n\t"
				"ldr w9, [%[op], %[number]]\n\t"
				"str w9, [%[at], #12]\n\t"
				"str x10, [%[at], #16]\n\t"
				"str x10, [%[ring], #8]\n\t"
				"str x10, [%[op], %[stamp]]\n\t"
				"ldr x9, [%[op], %[next]]\n\t"
				"stlr x9, [%[ring]]\n\t" RSEQ_END_OUT "dmb ishst\n\t"
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [op] "r"(op), [ring] "r"(op->ring),
		     [sec] "r"(op->section), [counts] "r"(op->counts), [at] "r"(op->at),
		     RSEQ_OP(head), RSEQ_OP(changes_at), RSEQ_OP(changes), RSEQ_OP(seen),
		     RSEQ_OP(overwritten), RSEQ_OP(torn), RSEQ_OP(lost), RSEQ_OP(lap),
		     RSEQ_OP(entry), RSEQ_OP(control), RSEQ_OP(number), RSEQ_OP(stamp),
		     RSEQ_OP(next), [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "x9", "x10", "x11"
		     : aborted, out);
	RSEQ_RETURN;
}

static inline enum rseq_result rseq_pad(struct rseq *rs, uint32_t cpu, const struct rseq_op *op)
{
	__asm__ goto(RSEQ_BEGIN "ldr x9, [%[ring]]\n\t"
				"ldr x10, [%[op], %[head]]\n\t"
				"cmp x9, x10\n\t"
				"b.ne 6f\n\t"
				"ldr w9, [%[op], %[control]]\n\t"
				"stlr w9, [%[at]]\n\t"
				"ldr x9, [%[op], %[next]]\n\t"
				"stlr x9, [%[ring]]\n\t" RSEQ_END_OUT
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [op] "r"(op), [ring] "r"(op->ring),
		     [at] "r"(op->at), RSEQ_OP(head), RSEQ_OP(control),
		     RSEQ_OP(next), [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "x9", "x10"
		     : aborted, out);
	RSEQ_RETURN;
}

static inline enum rseq_result rseq_skip(struct rseq *rs, uint32_t cpu, const struct rseq_op *op)
{
	__asm__ goto(RSEQ_BEGIN "ldr x9, [%[ring]]\n\t"
				"ldr x10, [%[op], %[head]]\n\t"
				"cmp x9, x10\n\t"
				"b.ne 6f\n\t"
				"ldr x9, [%[sec]]\n\t"
				"ldr x10, [%[op], %[seen]]\n\t"
				"cmp x9, x10\n\t"
				"b.ne 6f\n\t"
				"ldr x9, [%[op], %[next]]\n\t"
				"stlr x9, [%[ring]]\n\t" RSEQ_END_OUT
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [op] "r"(op), [ring] "r"(op->ring),
		     [sec] "r"(op->section), RSEQ_OP(head), RSEQ_OP(seen),
		     RSEQ_OP(next), [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "x9", "x10"
		     : aborted, out);
	RSEQ_RETURN;
}

static inline enum rseq_result rseq_add(
	struct rseq *rs, uint32_t cpu, uint64_t *counter, uint64_t n)
{
	__asm__ goto(RSEQ_BEGIN "ldr x9, [%[counter]]\n\t"
				"add x9, x9, %[n]\n\t"
				"str x9, [%[counter]]\n\t" RSEQ_END
		     :
		     : [rs] "r"(rs), [cpu] "r"(cpu), [counter] "r"(counter), [n] "r"(n),
		     [sig] "i"(RSEQ_SIG)
		     : "memory", "cc", "x9"
		     : aborted);

	return RSEQ_DONE;
aborted:
	return RSEQ_ABORTED;
}
