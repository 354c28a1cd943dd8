#!/bin/bash
# packages_test.sh <build folder>
# Makes the Debian packages, installs them into a bare Debian 12 of its own, serves from there as an
# unprivileged user, and sees plugins come and go with their packages. Needs root for the bare system.
set -euo pipefail
[ "$(id -u)" -eq 0 ] || exec sudo -n "$0" "$@"
build=$1
work=$(mktemp -d)
root=$work/root
server=
clean_up() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}
quietly() {
    "$@" >"$work/output" 2>&1 && return
    tail -n 40 "$work/output"
    fail "$*"
}
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }

rm -rf "$build/packages"
quietly cpack --config "$build/CPackConfig.cmake"
for package in stele stele-dev stele-plugin-identity stele-plugin-ui-configs; do
    ls "$build"/packages/"$package"_*.deb >/dev/null || fail "there is no package $package"
done
dpkg-deb --field "$build"/packages/stele-plugin-access-policies_*.deb Depends |
    grep -q 'stele (= .*stele-plugin-identity (= ' ||
    fail 'access_policies does not depend on the server and on identity'

# The machine's own sources, so that a mirror near by is used. The line `URIs:` or `deb`.
mirror=$(grep -rhoE '(URIs: |^deb (\[[^]]*\] )?)https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list \
    /etc/apt/sources.list.d 2>/dev/null | grep -oE 'https?://[^ ]+' | head -n 1) || true
[ -n "$mirror" ] || fail 'the sources of apt name no Debian mirror'
quietly debootstrap --variant=minbase bookworm "$root" "$mirror"
for setting in /etc/apt/apt.conf.d/*prox*; do
    [ ! -e "$setting" ] || cp "$setting" "$root/etc/apt/apt.conf.d/"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
cp "$build"/packages/*.deb "$root/tmp/"
quietly in_root sh -c 'apt-get install -y --no-install-recommends /tmp/stele_*.deb \
    /tmp/stele-plugin-identity_*.deb /tmp/stele-plugin-platform_*.deb \
    /tmp/stele-plugin-ui-configs_*.deb'
[ "$(in_root stat -c %a /etc/stele/stele.conf)" = 644 ] || fail 'the configuration is not there'
in_root dpkg-query --showformat '${Conffiles}' --show stele | grep -q /etc/stele/stele.conf ||
    fail 'the configuration is not kept on upgrades'
if command -v systemd-analyze >/dev/null; then
    quietly systemd-analyze verify --recursive-errors=no --root="$root" stele.service
fi

port=18391
base=http://127.0.0.1:$port
seed='{"admin":{"password":"admin"},"client":{"key":"key","secret":"secret"}}'
in_root sh -c 'mkdir /var/lib/stele && chown nobody /var/lib/stele && cat >/tmp/seed.json' <<<"$seed"
as_nobody() { in_root setpriv --reuid=nobody --clear-groups "$@"; }
quietly as_nobody stele init --data /var/lib/stele --seed /tmp/seed.json

serve() {
    chroot "$root" env -i PATH=/usr/bin:/bin STELE_SERVER_PORT=$port setpriv --reuid=nobody \
        --clear-groups stele serve --data /var/lib/stele --config /etc/stele/stele.conf \
        >"$work/serve.log" 2>&1 &
    server=$!
    for _ in $(seq 300); do
        curl -fs "$base/readyz" >/dev/null && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/serve.log"
    fail 'the installed server does not start'
}
stop() {
    kill "$server"
    wait "$server" || fail 'the server did not end in order'
    server=
}
status() { curl -s -o /dev/null -w '%{http_code}' "$base$1" -H "Authorization: Bearer $token"; }

serve
token=$(curl -fs -u key:secret "$base/oauth/token" -d grant_type=password -d username=admin \
    -d password=admin | grep -oP '"access_token":"\K[^"]+')
[ "$(status /uiconfigs)" = 200 ] || fail 'a family whose package is installed is not served'
stop
quietly in_root apt-get remove -y stele-plugin-ui-configs
serve
[ "$(status /uiconfigs)" = 404 ] || fail 'a family whose package was removed is still served'
[ "$(status /domains)" = 200 ] || fail 'removing one plugin broke another one'
stop
quietly as_nobody stele check --data /var/lib/stele
quietly in_root sh -c 'apt-get install -y /tmp/stele-plugin-ui-configs_*.deb'
serve
[ "$(status /uiconfigs)" = 200 ] || fail 'a family whose package came back is not served'
stop
quietly in_root apt-get purge -y stele
grep -q 'The store was left in /var/lib/stele' "$work/output" || fail 'a purge does not say where the store is'
[ ! -e "$root/etc/stele/stele.conf" ] || fail 'a purge leaves the configuration'
quietly in_root sh -c 'apt-get install -y --no-install-recommends /tmp/stele_*.deb /tmp/stele-plugin-identity_*.deb'
serve
token=$(curl -fs -u key:secret "$base/oauth/token" -d grant_type=password -d username=admin \
    -d password=admin | grep -oP '"access_token":"\K[^"]+')
[ "$(status /domains)" = 200 ] || fail 'a purge takes the store along'
stop
echo 'The packages install, serve, come and go, and leave the store alone.'
