#!/bin/sh
# Runs nginx and keeps it informed of the gateways' addresses. nginx reads names once; here they are looked up every two
# seconds, so that instances may come and go. When a look-up fails the last known addresses stay.
set -eu

# Writes the group of one gateway; nobody listens on port 9, so an unknown gateway is one that refuses connections.
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

# Since 1.27.4 nginx can leave idle connections open for a moment when it reads the groups anew: a request may be on its way.
nginx -v 2>&1 | sed 's|.*nginx/||' | awk -F '[. ]' '
  $1 * 1000000 + $2 * 1000 + $3 >= 1027004 { print "keepalive_min_timeout 5s;" }' > /tmp/version.conf

write_groups
# Reading the groups anew interrupts no request: those in work end with the old ones.
(
  while sleep 2; do
    write_groups
    [ "$changed" = no ] || kill -HUP 1
  done
) &
exec nginx -e stderr -c /etc/crm/nginx.conf
