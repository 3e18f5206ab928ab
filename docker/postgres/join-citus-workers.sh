#!/bin/bash
# Registers the coordinator and its workers in the cluster: join-citus-workers.sh COORDINATOR WORKER...
# A server that is already registered stays as it is.
set -euo pipefail
coordinator=$1
shift
{
  echo "SELECT citus_set_coordinator_host('$coordinator', 5432);"
  printf "SELECT citus_add_node('%s', 5432);\n" "$@"
} | psql --no-psqlrc -v ON_ERROR_STOP=1 --host "$coordinator" --username postgres --dbname crm
