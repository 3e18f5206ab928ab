#!/bin/sh
# Runs nginx with the addresses of the gateways. nginx resolves names only at its start. This script resolves them every two
# seconds, so that gateways may come and go. If a lookup fails, nginx keeps the last known addresses.
set -eu

# Writes the servers of one gateway. Until its name resolves, the only server is port 9, which refuses connections.
write_group() {
  servers=$(getent ahostsv4 "$1" | awk -v port="$2" '{ print "  server " $1 ":" port " max_fails=1 fail_timeout=1s;" }' | sort -u)
  if [ -z "$servers" ]; then
    [ ! -e "/tmp/$1.conf" ] || return 0
    servers='  server 127.0.0.1:9;'
  fi
  printf 'upstream %s {\n  least_conn;\n%s\n  keepalive 64;\n}\n' "$1" "$servers" > "/tmp/$1.conf.new"
  ! cmp -s "/tmp/$1.conf.new" "/tmp/$1.conf" || return 0
  mv "/tmp/$1.conf.new" "/tmp/$1.conf"
  changed=yes
}

write_groups() {
  changed=no
  write_group read-gateway 4000
  write_group inbound-gateway 4001
}

write_settings() {
  printf 'limit_conn addresses %s;\n' "${CRM_REQUESTS_PER_ADDRESS:-128}"
  # nginx 1.27.4 and later can keep idle connections open for a moment after a reload, for requests that are on their way.
  nginx -v 2>&1 | sed 's|.*nginx/||' | awk -F '[. ]' '
    $1 * 1000000 + $2 * 1000 + $3 >= 1027004 { print "keepalive_min_timeout 5s;" }'
}

write_settings > /tmp/settings.conf
write_groups
# A reload interrupts no request, because the old workers finish theirs.
(
  while sleep 2; do
    write_groups
    [ "$changed" = no ] || kill -HUP 1
  done
) &
exec nginx -e stderr -c /etc/crm/nginx.conf
