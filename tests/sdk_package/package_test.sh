#!/bin/sh
# package_test.sh <build folder> <repository> <compiler>
# Installs the build into a folder, begins a plugin with its program, builds it outside of the repository
# against nothing but that folder, checks it, and uses it through a server from that folder.
set -eu
build=$1
repository=$2
compiler=$3
work=$(mktemp -d)
server=
clean_up() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT

# quietly <command>...: the output is shown only when the command fails.
quietly() {
    "$@" >"$work/output" 2>&1 && return
    cat "$work/output"
    echo "FAILED: $*"
    exit 1
}

quietly cmake --install "$build" --prefix "$work/installed"
# A copy elsewhere: nothing may point back to where it was installed, or to the build.
mv "$work/installed" "$work/moved"
prefix=$work/moved

quietly "$prefix/bin/stele" plugin new guest_book --folder "$work/guest_book"
if grep -rniE '(^|[^a-z])notes?([^a-z]|$)' "$work/guest_book"; then
    echo 'The new plugin still speaks of the template.'
    exit 1
fi
quietly cmake -S "$work/guest_book" -B "$work/guest_book/build" -G Ninja -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$prefix" \
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
if grep -q "$repository" "$work/guest_book/build/build.ninja"; then
    echo 'The build outside of the repository refers to the repository:'
    grep "$repository" "$work/guest_book/build/build.ninja" | head -n 5
    exit 1
fi
quietly cmake --build "$work/guest_book/build"
quietly ctest --test-dir "$work/guest_book/build" --output-on-failure --no-tests=error
quietly "$prefix/bin/stele_plugin_check" "$work/guest_book/build/guest_book.so"

printf '{"admin":{"password":"admin"},"client":{"key":"key","secret":"secret"}}' >"$work/seed.json"
quietly "$prefix/bin/stele" init --data "$work/data" --plugins "$work/guest_book/build" \
    --seed "$work/seed.json"
: >"$work/serve.log"
"$prefix/bin/stele" serve --data "$work/data" --listen 127.0.0.1:0 --plugins "$work/guest_book/build" \
    >"$work/serve.log" 2>&1 &
server=$!
base=
tries=0
while [ -z "$base" ]; do
    base=$(sed -n 's/^Stele serves on //p' "$work/serve.log")
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$work/serve.log"
        echo 'The installed server does not start.'
        exit 1
    fi
    [ -n "$base" ] || sleep 0.1
done

# member <name>: the value of a text or true/false member of the JSON object that comes in.
member() {
    grep -o "\"$1\": *\(\"[^\"]*\"\|true\|false\)" | head -n 1 | sed 's/^[^:]*: *//; s/"//g'
}

# expect <wanted> <found> <what>
expect() {
    if [ "$1" != "$2" ]; then
        echo "$3: found '$2', wanted '$1'"
        cat "$work/serve.log"
        exit 1
    fi
}

token=$(curl -sS -u key:secret -d grant_type=password -d username=admin -d password=admin \
    "$base/oauth/token" | member access_token)
call() {
    curl -sS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"
}
books=$base/guest_books
book=$(call -d '{"title":"Milk"}' "$books" | member _doc)
[ -n "$book" ] || expect 'an id' '' 'creating a record'
expect Milk "$(call "$books/$book" | member title)" 'reading the record'
expect false "$(call "$books/$book" | member pinned)" 'the default of a member'
expect true "$(call -X POST "$books/$book/pin" | member pinned)" 'pinning the record'
status=$(call -o "$work/refusal" -w '%{http_code}' -d '{}' "$books")
expect 400 "$status" 'a record without a title'

kill "$server"
status=0
wait "$server" || status=$?
server=
expect 0 "$status" 'the end of the server'
