#!/bin/sh
# package_test.sh <build folder> <repository> <compiler>
# Installs the build into a folder, builds a copy of the template plugin outside of the repository
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

cp -r "$repository/plugins/_template" "$work/note"
quietly cmake -S "$work/note" -B "$work/note/build" -G Ninja -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$prefix" \
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
if grep -q "$repository" "$work/note/build/build.ninja"; then
    echo 'The build outside of the repository refers to the repository:'
    grep "$repository" "$work/note/build/build.ninja" | head -n 5
    exit 1
fi
quietly cmake --build "$work/note/build"
quietly ctest --test-dir "$work/note/build" --output-on-failure --no-tests=error
quietly "$prefix/bin/stele_plugin_check" "$work/note/build/note.so"

printf '{"admin":{"password":"admin"},"client":{"key":"key","secret":"secret"}}' >"$work/seed.json"
quietly "$prefix/bin/stele" init --data "$work/data" --plugins "$work/note/build" \
    --seed "$work/seed.json"
: >"$work/serve.log"
"$prefix/bin/stele" serve --data "$work/data" --listen 127.0.0.1:0 --plugins "$work/note/build" \
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
note=$(call -d '{"title":"Milk"}' "$base/notes" | member _doc)
[ -n "$note" ] || expect 'an id' '' 'creating a note'
expect Milk "$(call "$base/notes/$note" | member title)" 'reading the note'
expect false "$(call "$base/notes/$note" | member pinned)" 'the default of a member'
expect true "$(call -X POST "$base/notes/$note/pin" | member pinned)" 'pinning the note'
status=$(call -o "$work/refusal" -w '%{http_code}' -d '{}' "$base/notes")
expect 400 "$status" 'a note without a title'

kill "$server"
status=0
wait "$server" || status=$?
server=
expect 0 "$status" 'the end of the server'
