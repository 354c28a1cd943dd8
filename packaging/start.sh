#!/bin/sh
# Builds Stele where needed, prepares a store on the first run, and serves it until interrupted.
# Runs on a fresh Debian 12, as root or with sudo; running it again is quick and changes nothing.
#
#   STELE_HOST=127.0.0.1   address to listen on
#   STELE_PORT=8080        port to listen on
#   STELE_DATA=./data      folder of the store
#   STELE_JOBS=<cores>     compilers that run at a time
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
host=${STELE_HOST:-127.0.0.1}
port=${STELE_PORT:-8080}
data=${STELE_DATA:-$root/data}
jobs=${STELE_JOBS:-$(nproc)}
# The server takes STELE_… for settings of its own.
unset STELE_HOST STELE_PORT STELE_DATA STELE_JOBS
build=$root/build/release
stele=$build/bin/stele

"$root/packaging/install-packages.sh" "$root/packaging/debian-packages.txt"

cd "$root"
if [ ! -f "$build/build.ninja" ]; then
    echo 'Configuring the build...'
    cmake --preset release -DSTELE_TESTS=OFF -DSTELE_BENCH=OFF >/dev/null
fi
# Runs in the background: its output goes to the log, of which one line of progress is shown.
log=$root/build/logs/start.log
mkdir -p "$root/build/logs"
echo "Building; the first time takes some minutes. What the compiler says: $log"
cmake --build "$build" --parallel "$jobs" >"$log" 2>&1 &
builder=$!
trap 'kill -TERM $builder 2>/dev/null || true; exit 130' INT TERM
progress() { sed -n 's/^\(\[[0-9]*\/[0-9]*\]\).*/\1/p' "$log" | tail -n 1; }
if [ -t 1 ]; then
    while kill -0 "$builder" 2>/dev/null; do
        printf '\r%s ' "$(progress)"
        sleep 1
    done
    printf '\r'
fi
built=0
wait "$builder" || built=$?
trap - INT TERM
if [ "$built" -ne 0 ]; then
    tail -n 30 "$log" >&2
    echo "The build failed; all of it is in $log" >&2
    exit "$built"
fi
echo "Built $(progress)"

base=http://$host:$port
first_login=$data/first-login
if [ -z "$(ls -A "$data" 2>/dev/null)" ]; then
    # To no terminal, so that the login is in a file until it is shown below.
    "$stele" init --data "$data" >/dev/null
fi

"$stele" serve --data "$data" --listen "$host:$port" &
server=$!
trap 'kill -TERM $server 2>/dev/null || true' INT TERM

tries=0
until curl -fs "$base/readyz" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if ! kill -0 "$server" 2>/dev/null; then
        wait "$server"
        exit $?
    fi
    if [ "$tries" -gt 300 ]; then
        echo "The server does not answer on $base" >&2
        kill -TERM "$server"
        exit 1
    fi
    sleep 0.2
done

echo
echo "Stele:   $base"
if [ -f "$first_login" ]; then
    value() { sed -n "s/^ *$1: *\([^ ]*\).*/\1/p" "$first_login" | head -n 1; }
    password=$(value password)
    echo "Login:   admin, password $password (shown only now)"
    echo "Client:  $(value 'client key'), secret $(value 'client secret')"
    echo 'Try it:'
    echo "  curl -s -u '$(value 'client key'):$(value 'client secret')' $base/oauth/token" \
        "-d grant_type=password -d username=admin --data-urlencode 'password=$password'"
    rm -f "$first_login"
else
    echo 'Login:   admin, with the password that was shown at the first start. To set another one:'
    echo "  $stele user set-password admin --data '$data'"
    echo 'Try it:'
    echo "  curl -s $base/healthz"
fi
echo 'Go on with: docs/guides/content.md, from nothing to a published page'

status=0
wait "$server" || status=$?
if [ "$status" -gt 128 ]; then
    # A trapped signal ended the wait, while the server still drains; 127: it had ended before.
    drained=0
    wait "$server" 2>/dev/null || drained=$?
    [ "$drained" -eq 127 ] || status=$drained
fi
exit "$status"
