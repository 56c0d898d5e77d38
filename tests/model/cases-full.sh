# shellcheck shell=sh disable=SC2086,SC2154
# Sourced by run.sh --full, after cases.sh: searches of minutes and gigabytes.

holds wrap-three-writers-two-laps 7500000 $wrap $long -DWRITERS=3 -DABORTS=0
holds group-reader-aborts 4600000 -DGROUP $wrap $long $reader
holds continuous-off 13000000 $cont $long -DOFF
holds wrap-three-sections-three-writers 3200000 $wrap $long -DSECTIONS=3 -DWRITERS=3 -DABORTS=0
holds drain-taken-up-two-writers 6800000 $cont $long -DDRAIN_KILLS=1 -DABORTS=0
holds bounded-walk-three-writers 3000000 -DSTEPS=2 -DABORTS=1 $wrap $short -DWRITERS=3
holds keeping-kill 18000000 $keep -DDUMP=1 -DABORTS=0 -DKILLS=1 -DSECTIONS=1 -DEACH=1

model=tasks.pml
holds tasks-exit-two-processes 7500000 -DEXIT -DKILLS=0
