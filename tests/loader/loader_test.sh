#!/bin/sh
# loader_test.sh <stele> <folder of broken plugins>
# A server that is told to serve a broken plugin does not start: it ends with a status other than 0
# and a sentence that names the file, what was found and what was wanted. A library that does not
# fit and that nobody named is reported and skipped.
set -u
stele=$1
broken=$2
work=$(mktemp -d)
server=
failures=0

clean_up() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

"$stele" init --data "$work/data" >"$work/init.log" 2>&1 || {
    cat "$work/init.log"
    exit 1
}

# refused <failure> <words of the sentence> <argument of serve>...
refused() {
    failure=$1
    words=$2
    shift 2
    timeout 60 "$stele" serve --data "$work/data" --listen 127.0.0.1:0 "$@" >"$work/serve.log" 2>&1
    status=$?
    case $status in
    0 | 124) fail "$failure: the server ended with status $status, wanted a refusal" ;;
    esac
    if [ "$status" -gt 127 ]; then fail "$failure: the server was ended by a signal: $status"; fi
    if ! grep -qF "$words" "$work/serve.log"; then
        fail "$failure: wanted the words '$words', found:"
        cat "$work/serve.log"
    fi
}

# named <failure> <words>: the broken plugin is enabled by name.
named() {
    refused "$1" "$2" --plugins "$broken/$1" --enable "$1"
}

named no_manifest 'no_manifest.so: found no exported object stele_plugin'
named wrong_magic 'wrong_magic.so: found a symbol stele_plugin that is no manifest'
named wrong_sdk_version 'found a plugin for SDK 2.0, wanted SDK 1.0'
named wrong_fingerprint "wrong_fingerprint.so: found build '?"
named id_mismatch 'found plugin id another_id, wanted id_mismatch'
named endless_text 'endless_text.so: a text of the manifest has no end'
named null_open 'names no open function'
named unresolved_symbol 'open_elsewhere'
named missing_requirement 'requires plugin nowhere, which was not found'
named throws_in_open 'the ink has dried up'
named fails_in_open 'there is no ink'
named incomplete_descriptor 'resource slate: path is missing'
named duplicate_route '/slates'
refused requirement_cycle 'egg requires hen requires egg' --plugins "$broken/requirement_cycle" \
    --enable hen,egg
refused duplicate_id 'found a second plugin with id twin' --plugins "$broken/duplicate_id/first" \
    --plugins "$broken/duplicate_id/second" --enable twin
refused unknown_plugin 'plugin ghost is enabled but no file ghost.so was found' --enable ghost
# Without a list every plugin that was found is enabled, so its failure stops the start as well.
refused throws_unnamed 'the ink has dried up' --plugins "$broken/throws_in_open"

# Skipped: the server starts all the same, and says so.
: >"$work/skip.log"
"$stele" serve --data "$work/data" --listen 127.0.0.1:0 --plugins "$broken/wrong_fingerprint" \
    >"$work/skip.log" 2>&1 &
server=$!
tries=0
while ! grep -qE '127\.0\.0\.1:[1-9][0-9]*' "$work/skip.log"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ] || ! kill -0 "$server" 2>/dev/null; then
        fail 'wrong_fingerprint: a server that was not told to serve it does not start:'
        cat "$work/skip.log"
        break
    fi
    sleep 0.1
done
grep -qF 'wrong_fingerprint.so: found build' "$work/skip.log" ||
    fail 'wrong_fingerprint: skipped, but not reported'
[ "$failures" -eq 0 ]
