#!/bin/sh
# Writes docker/.env from .env.example with new secrets. It never overwrites the file, because the database keeps its password.
# Usage: sh docker/new-env.sh [VERSION]     VERSION of the published images; without it, compose builds them
set -eu
cd "$(dirname "$0")"
if [ -e .env ]; then
  echo "docker/.env exists already; nothing was changed." >&2
  exit 1
fi
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
sed -e "s/^CRM_VERSION=$/&${1:-local}/" -e "s/^POSTGRES_PASSWORD=$/&$(secret)/" -e "s/^CRM_DATABASE_PASSWORD=$/&$(secret)/" \
  -e "s/^CURSOR_SECRETS=$/&$(secret)/" -e "s|^WEBHOOK_SECRET_KEY=$|&$(head -c 32 /dev/urandom | base64)|" .env.example > .env
echo "Wrote docker/.env. Keep a copy where you keep secrets."
