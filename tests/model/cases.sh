# shellcheck shell=sh disable=SC2086
# Sourced by run.sh: the checks of the tests. Two writers, two records each, two sections
# of two units, aborts at every store and as often as they like, unless said otherwise. LONG_ONLY:
# each record fills a section, so that the four are two laps.

wrap="-DMODE=WRAP" cont="-DMODE=CONTINUOUS -DDRAIN"
long=-DLONG_ONLY short=-DSHORT_ONLY reader=-DREADER
keep="-DKEEPING -DSETTLE -DMODE=WRAP -DLONG_ONLY" one="-DWRITERS=1 -DEACH=4"

# Searches that must hold, with about 9/10 of their states.
holds wrap 470000 $wrap
holds wrap-reader 2500000 $wrap $long $reader
holds wrap-three-laps 440000 $wrap $long -DEACH=3
holds wrap-three-writers 900000 $wrap -DWRITERS=3 -DEACH=1
holds wrap-three-sections 130000 $wrap $long -DSECTIONS=3 -DEACH=3
holds wrap-kill 6000000 $wrap $long -DKILLS=1
holds group-reader 100000 -DGROUP $wrap $long $reader -DABORTS=0
holds dump-ledger 3500000 $wrap $long -DDUMP -DSETTLE -DABORTS=0
holds normal-off-reader 600000 -DMODE=NORMAL -DOFF $long $reader
holds continuous 2500000 $cont $long
holds continuous-kill 4700000 $cont $long -DKILLS=1 -DNO_RECLAIM -DABORTS=0
holds guest-kill 1400000 -DGUEST -DKILLS=1 $wrap $long
holds guest-reader 370000 -DGUEST $wrap $long $reader
holds clock 1700000 -DCLOCK $wrap $long
holds nothing-blocks 1600000 -DPROGRESS -DABORTS=2 $wrap
holds discard 7500000 -DDISCARD -DABORTS=1 $wrap $long
holds discard-normal 340000 -DDISCARD -DABORTS=0 -DMODE=NORMAL $long
holds discard-kill 2400000 -DDISCARD -DABORTS=0 -DKILLS=1 $wrap $long -DEACH=1
holds bounded-walk 900000 -DSTEPS=2 $wrap -DWRITERS=3 -DEACH=1
holds bounded-walk-three-laps 70000 -DSTEPS=2 $wrap $short -DEACH=3
holds bounded-walk-nothing-blocks 120000 -DSTEPS=2 -DPROGRESS -DABORTS=1 $wrap $short -DEACH=3
holds kept-survey 3400000 -DKEEP -DABORTS=0 $wrap -DSECTIONS=1 -DEACH=3
holds drain-taken-up 96000 $cont $long -DDRAIN_KILLS=1 -DABORTS=0 -DWRITERS=1 -DEACH=4
holds nested 6000 -DNESTED $wrap $long
holds nested-reader 290000 -DNESTED $wrap $long $reader
holds nested-guest-kill 580000 -DNESTED -DGUEST -DKILLS=1 $wrap $long
holds keeping 2200000 $keep -DDUMP=1 -DABORTS=2 $one
holds keeping-twice 1450000 $keep -DDUMP=2 -DABORTS=0 -DWRITERS=1 -DEACH=5
holds keeping-killed 1300000 $keep -DDUMP=2 -DDUMP_KILLS=1 -DABORTS=0 $one
holds keeping-two-writers 240000 $keep -DDUMP=1 -DABORTS=0 -DSECTIONS=1 -DEACH=1
holds keeping-no-memory 1220000 $keep -DDUMP=1 -DABORTS=1 $one -DNO_MEMORY
holds keeping-taken-over 2700000 $keep -DDUMP=1 -DTAKEOVER=1 -DABORTS=0 -DSECTIONS=1 -DWRITERS=1 -DEACH=2

# Faults that must be found: each leaves out one rule.
breaks early-commit accepted_is_whole -DF_EARLY_COMMIT $wrap $long $reader -DEACH=1
breaks early-commit-and-a-lap live_record_never_overwritten -DF_EARLY_COMMIT $wrap $long
breaks no-held-check live_record_never_overwritten -DF_NO_HELD_CHECK -DSUM_ONLY $wrap $long
breaks no-guard accepted_is_whole -DF_NO_GUARD $wrap $long $reader
breaks one-look accepted_is_whole -DF_ONE_LOOK $wrap $long $reader
breaks late-head reservation_publishes_length -DF_LATE_HEAD $wrap $short $reader
breaks stale-enter stores_stay_near_head -DF_STALE_ENTER $wrap $long
breaks stale-pad stores_stay_near_head -DF_STALE_PAD $wrap
breaks stale-lap lap_belongs_to_head -DF_STALE_LAP $wrap $short -DEACH=3
breaks blind-skip ledger_of_ring_is_exact -DF_BLIND_SKIP $wrap $long
breaks late-entry committed_words_stand -DF_LATE_ENTRY -DABORTS=0 $wrap $long $reader
breaks late-entry-and-an-abort ledger_of_ring_is_exact -DF_LATE_ENTRY $wrap $long
breaks one-set-of-counts ledger_of_ring_is_exact -DF_ONE_SET $wrap $long -DEACH=3
breaks group-in-pieces group_at_once_or_never forward -DF_GROUP_IN_PIECES -DGROUP $wrap $long $reader -DEACH=1
breaks head-first reservation_publishes_length -DF_HEAD_FIRST $wrap $short $reader
breaks guest-head-first reservation_publishes_length forward -DF_HEAD_FIRST -DGUEST -DKILLS=1 $wrap $short
breaks stamp-not-held-up stamps_never_decrease -DF_NO_CLAMP -DCLOCK $wrap $long
breaks no-proof-of-death only_the_dead_are_abandoned -DF_NO_PROOF -DKILLS=1 $wrap $long
breaks no-second-look only_the_dead_are_abandoned -DF_NO_SECOND_LOOK -DKILLS=1 $wrap $long
breaks early-release drain_finds_its_sections -DF_EARLY_RELEASE $cont $long
breaks unstable-list ledger_of_dump_is_exact -DF_UNSTABLE_LIST -DDUMP -DSETTLE -DABORTS=0 $wrap $long
breaks swapped-terms overwritten_is_exact -DF_SWAPPED_TERMS -DKILLS=1 $wrap $long
breaks skip-to-nothing ledger_of_ring_is_exact -DF_SKIP_TO_NOTHING -DABORTS=0 $wrap $long -DWRITERS=3
breaks base-first ledger_of_ring_is_exact -DF_BASE_FIRST -DDISCARD -DABORTS=1 $wrap $long
breaks changes-unchecked ledger_of_ring_is_exact -DF_CHANGES_UNCHECKED -DDISCARD -DABORTS=1 $wrap $long
breaks entry-unchecked ledger_of_ring_is_exact -DF_ENTRY_UNCHECKED -DDISCARD -DABORTS=1 $wrap $long
breaks reclaim-from-start held_sections_come_back -DF_RECLAIM_FROM_START -DDISCARD -DABORTS=0 -DKILLS=1 $wrap $long -DEACH=1
breaks resume-from-released delivered_at_most_once -DF_RESUME_FROM_RELEASED $cont $long -DDRAIN_KILLS=1 -DABORTS=0 -DWRITERS=1 -DEACH=4
breaks search-passes-entry refused_only_for_a_reason -DF_SEARCH_PASSES_ENTRY -DSTEPS=2 -DABORTS=1 $wrap $short -DWRITERS=3
breaks keeps-what-was-entered live_record_never_overwritten -DF_KEEPS_WHAT_WAS_ENTERED -DKEEP -DABORTS=0 $wrap -DSECTIONS=1 -DEACH=3
breaks waits-for-the-held "non-progress cycle" -DF_WAITS -DPROGRESS -DABORTS=0 $wrap $long -DWRITERS=3 -DEACH=1
breaks keep-unseen kept_is_there -DF_KEEP_UNSEEN $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-area-ignored accepted_is_whole -DF_AREA_IGNORED $keep -DDUMP=2 -DABORTS=0 $one
breaks keep-changes-unchecked kept_is_there -DF_CHANGES_UNCHECKED $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-let-go-first kept_is_there -DF_LET_GO_FIRST $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-list-first kept_is_there -DF_LIST_FIRST $keep -DDUMP=1 -DABORTS=0 -DSECTIONS=3 -DWRITERS=1 -DEACH=5
breaks keep-changes-not-raised kept_is_there -DF_CHANGES_NOT_RAISED $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-raised-first kept_is_there -DF_RAISED_FIRST $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-loaded-first kept_is_there -DF_KEEP_LOADED_FIRST $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-not-lowered kept_is_there forward -DF_NOT_LOWERED $keep -DDUMP=1 -DABORTS=0 -DWRITERS=1 -DEACH=6
breaks keep-no-lock kept_is_there -DF_NO_LOCK $keep -DDUMP=1 -DABORTS=0 -DSECTIONS=1 -DWRITERS=1 -DEACH=2
breaks keep-past-its-check kept_is_there -DF_NONE_EXEMPT $keep -DDUMP=1 -DABORTS=0 $one
breaks keep-stored kept_is_there -DF_KEEP_STORED $keep -DDUMP=1 -DTAKEOVER=1 -DABORTS=0 -DSECTIONS=1 -DWRITERS=1 -DEACH=3
breaks keep-lets-any-go kept_is_there -DF_LETS_ANY_GO $keep -DDUMP=1 -DTAKEOVER=1 -DABORTS=0 -DSECTIONS=1 -DWRITERS=1 -DEACH=2
breaks keep-not-compared accepted_is_whole -DF_KEEP_NOT_COMPARED $keep -DDUMP=1 -DTAKEOVER=2 -DABORTS=0 -DSECTIONS=1 -DWRITERS=1 -DEACH=3
breaks keep-leaves-uncounted ledger_of_ring_is_exact forward -DF_LEAVES_UNCOUNTED $keep -DDUMP=1 -DABORTS=0 $one

# The task table: two processes of a thread each, one of them killed, and a round of the owner's
# before the one at the end, unless said otherwise.
model=tasks.pml
holds tasks 7600000
holds tasks-queues-step-by-step 6800000 -DFINE -DKILLS=0
holds tasks-exit 22000 -DEXIT -DKILLS=0 -DLIVES=1

breaks tasks-slotless-writes only_the_dead_are_abandoned -DF_SLOTLESS_WRITES -DKILLS=0
breaks tasks-slotless-writes-by-thread-id held_records_come_back -DF_SLOTLESS_WRITES -DOLD_RULES
breaks tasks-snapshot only_the_dead_are_abandoned -DF_SNAPSHOT -DKILLS=0
breaks tasks-snapshot-by-thread-id only_the_dead_are_abandoned -DF_SNAPSHOT -DOLD_RULES -DKILLS=0
breaks tasks-thread-id-only names_are_right_or_absent -DF_TID_ONLY -DOLD_RULES -DLIVES=3 -DKILLS=0
breaks tasks-unlock-first sweep_ends_only_the_dead -DF_UNLOCK_FIRST
breaks tasks-sweep-stale sweep_ends_only_the_dead -DF_SWEEP_STALE
breaks tasks-exit-ends-busy only_the_dead_are_abandoned -DF_EXIT_ENDS_BUSY -DEXIT -DKILLS=0 -DLIVES=1
breaks tasks-busy-late only_the_dead_are_abandoned -DF_BUSY_LATE -DEXIT -DKILLS=0 -DLIVES=1
