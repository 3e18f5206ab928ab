#!/bin/bash
# Runs a streaming replica: copies the primary if there is no copy yet, then starts the server as its image does.
set -euo pipefail

if [ "$(id -u)" -eq 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres "$PGDATA"
  chmod 700 "$PGDATA"
  exec gosu postgres bash "$0" "$@"
fi

export PGPASSWORD=$POSTGRES_PASSWORD
# The file exists only after a complete copy. An interrupted copy is deleted and started again.
until [ -e "$PGDATA/copy-is-complete" ]; do
  find "$PGDATA" -mindepth 1 -delete
  if pg_basebackup --host="$PRIMARY_HOST" --username=postgres --pgdata="$PGDATA" --write-recovery-conf \
    --wal-method=stream --checkpoint=fast; then
    touch "$PGDATA/copy-is-complete"
  else
    echo 'The primary cannot be copied yet; trying again.' >&2
    sleep 2
  fi
done

exec docker-entrypoint.sh "$@"
