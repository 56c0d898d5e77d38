# shellcheck shell=sh disable=SC2086
# Sourced by run.sh: what is checked in the tests. Two writers, two records each, two sections
# of two units, aborts at every store and as often as they like, unless said otherwise. LONG_ONLY:
# each record fills a section, so that the four are two laps.

wrap="-DMODE=WRAP" cont="-DMODE=CONTINUOUS -DDRAIN"
long=-DLONG_ONLY short=-DSHORT_ONLY reader=-DREADER

# What must hold, with about 9/10 of the states it has.
holds wrap 470000 $wrap
holds wrap-reader 2500000 $wrap $long $reader
holds wrap-three-laps 440000 $wrap $long -DEACH=3
holds wrap-three-writers 900000 $wrap -DWRITERS=3 -DEACH=1
holds wrap-three-sections 130000 $wrap $long -DSECTIONS=3 -DEACH=3
holds wrap-kill 6000000 $wrap $long -DKILLS=1
holds group-reader 100000 -DGROUP $wrap $long $reader -DABORTS=0
holds dump-ledger 9000000 $wrap $long -DDUMP -DSETTLE -DABORTS=0
holds normal-off-reader 600000 -DMODE=NORMAL -DOFF $long $reader
holds continuous 2500000 $cont $long
holds continuous-kill 4700000 $cont $long -DKILLS=1 -DNO_RECLAIM -DABORTS=0
holds guest-kill 1400000 -DGUEST -DKILLS=1 $wrap $long
holds guest-reader 370000 -DGUEST $wrap $long $reader
holds clock 1700000 -DCLOCK $wrap $long
holds nothing-blocks 1600000 -DPROGRESS -DABORTS=2 $wrap

# What must be found: each leaves out one rule.
breaks early-commit accepted_is_whole -DF_EARLY_COMMIT $wrap $long $reader -DEACH=1
breaks early-commit-and-a-lap live_record_never_overwritten -DF_EARLY_COMMIT $wrap $long
breaks no-held-check live_record_never_overwritten -DF_NO_HELD_CHECK $wrap $long
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
breaks group-in-pieces group_at_once_or_never -DF_GROUP_IN_PIECES -DGROUP $wrap $long $reader -DEACH=1
breaks head-first reservation_publishes_length -DF_HEAD_FIRST $wrap $short $reader
breaks guest-head-first reservation_publishes_length -DF_HEAD_FIRST -DGUEST -DKILLS=1 $wrap $short
breaks stamp-not-held-up stamps_never_decrease -DF_NO_CLAMP -DCLOCK $wrap $long
breaks no-proof-of-death only_the_dead_are_abandoned -DF_NO_PROOF -DKILLS=1 $wrap $long
breaks no-second-look only_the_dead_are_abandoned -DF_NO_SECOND_LOOK -DKILLS=1 $wrap $long
breaks early-release drain_finds_its_sections -DF_EARLY_RELEASE $cont $long
breaks unstable-list ledger_of_dump_is_exact -DF_UNSTABLE_LIST -DDUMP -DSETTLE -DABORTS=0 $wrap $long
breaks waits-for-the-held "non-progress cycle" -DF_WAITS -DPROGRESS -DABORTS=0 $wrap $long -DWRITERS=3 -DEACH=1
