#!/bin/sh
# Runs nginx in front of the gateways that are ready. nginx itself resolves names only at its start and has no health checks.
# This script does both every two seconds, so that gateways may come and go. If a lookup fails, it keeps the last known addresses.
#
# CRM_READ_GATEWAYS, CRM_INBOUND_GATEWAYS: names or addresses with ports, separated by spaces
# CRM_REQUESTS_PER_ADDRESS: the most requests of one address at once
# CRM_PROXY_CONFIG: the configuration of nginx; CRM_PROXY_FOLDER: the folder of the files that it includes
set -eu
folder=${CRM_PROXY_FOLDER:-/tmp}

# Prints each address with its port. A name may have several addresses.
addresses_of() {
  for place in $1; do
    getent ahostsv4 "${place%:*}" | awk -v port="${place##*:}" '{ print $1 ":" port }'
  done | sort -u
}

# Prints the addresses whose gateway is ready. They are asked at the same time. A gateway that shuts down, or whose database
# is away, is not ready.
ready_of() {
  for address in $1; do
    { ! curl -fs -m 3 -o /dev/null "http://$address/readyz" || echo "$address"; } &
  done | sort
}

# Writes the servers of one gateway. If none is ready, all of them get requests and answer why. Until a name resolves, the
# only server is port 9, which refuses connections.
#
# max_fails=0: nginx must not count failures. A response that a caller waits for too long would count, so one caller could
# take a gateway away from all others.
write_group() {
  known=$(addresses_of "$2")
  if [ -z "$known" ] && [ -e "$folder/$1.conf" ]; then return 0; fi
  ready=$(ready_of "$known")
  {
    printf 'upstream %s {\n  least_conn;\n' "$1"
    for address in ${ready:-${known:-127.0.0.1:9}}; do printf '  server %s max_fails=0;\n' "$address"; done
    printf '  keepalive 64;\n}\n'
  } > "$folder/$1.conf.new"
  ! cmp -s "$folder/$1.conf.new" "$folder/$1.conf" || return 0
  mv "$folder/$1.conf.new" "$folder/$1.conf"
  changed=yes
}

write_groups() {
  changed=no
  write_group read-gateway "${CRM_READ_GATEWAYS:-read-gateway:4000}"
  write_group inbound-gateway "${CRM_INBOUND_GATEWAYS:-inbound-gateway:4001}"
}

write_settings() {
  printf 'limit_conn addresses %s;\n' "${CRM_REQUESTS_PER_ADDRESS:-128}"
  # nginx 1.27.4 and later can keep idle connections open for a moment after a reload, for requests that are on their way.
  nginx -v 2>&1 | sed 's|.*nginx/||' | awk -F '[. ]' '
    $1 * 1000000 + $2 * 1000 + $3 >= 1027004 { print "keepalive_min_timeout 5s;" }'
}

write_settings > "$folder/settings.conf"
write_groups
# The shell becomes nginx, so $$ is its process. A reload interrupts no request, because the old workers finish theirs.
(
  while sleep 2 && kill -0 $$; do
    write_groups
    [ "$changed" = no ] || kill -HUP $$
  done
) &
exec nginx -e stderr -c "${CRM_PROXY_CONFIG:-/etc/crm/nginx.conf}"
