#!/bin/sh
# Adds the current digest of its tag to every third-party image in the Dockerfile and the compose files:
# TAG@sha256:DIGEST. A tag can be moved; with a digest every build gets the same bytes. Run it after a change of a tag,
# and commit the result. Needs Docker with buildx, and access to the registry.
set -eu
cd "$(dirname "$0")"
files='Dockerfile compose.yaml compose.replica.yaml compose.observability.yaml compose.citus.yaml'
# shellcheck disable=SC2086
for image in $(grep -ohE 'docker\.io/[a-z0-9/-]+:[A-Za-z0-9._-]+' $files | sort -u); do
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  if ! printf '%s\n' "$digest" | grep -qxE 'sha256:[0-9a-f]{64}'; then
    echo "$image has no digest: $digest" >&2
    exit 1
  fi
  for file in $files; do
    pattern=$(printf '%s' "$image" | sed 's/\./\\./g')
    sed -E "s#$pattern(@sha256:[0-9a-f]{64})?(\}|\$)#$image@$digest\2#" "$file" > "$file.new"
    # Keeps the mode and the owner of the file.
    cat "$file.new" > "$file"
    rm "$file.new"
  done
  echo "$image@$digest"
done
