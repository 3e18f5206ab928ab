#!/bin/bash
# Names the coordinator and its workers on the coordinator: join-citus-workers.sh COORDINATOR WORKER...
# A server that is named already stays as it is.
set -euo pipefail
coordinator=$1
shift
statements="SELECT citus_set_coordinator_host('$coordinator', 5432);"
for worker in "$@"; do statements+=" SELECT citus_add_node('$worker', 5432);"; done
psql --no-psqlrc -v ON_ERROR_STOP=1 --host "$coordinator" --username postgres --dbname crm --command "$statements"
