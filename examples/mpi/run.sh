#!/bin/sh
# Runs the example with a cache of its own, and empty, for each rank.  usage: run.sh MPIRUN PROGRAM RANKS FOLDER
set -eu
mpirun=$1 program=$2 ranks=$3 folder=$4
rm -rf "$folder"
mkdir -p "$folder"
# As root, more ranks than cores, and nothing of a cluster's network: none of that is needed on one.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=/bin/false
export OMP_NUM_THREADS=1 folder program
exec "$mpirun" --oversubscribe -n "$ranks" sh -c 'SPMVGEN_CACHE_DIR=$folder/rank$OMPI_COMM_WORLD_RANK exec "$program"'
