#!/bin/bash
# Builds and tests on a fresh or a used Debian 12; the last line is ctest's summary.
#
#   tests/run.sh                 the whole suite, once, on a release build; tests of chance run a fifth
#                                of their cases, all of them with STELE_LONG=1
#   tests/run.sh --all           sanitizers and fuzzers before it, and the long walk of rights; what CI
#                                runs
#   tests/run.sh --preset NAME   only this preset (release, dev, tsan, fuzz); repeatable
#   tests/run.sh --from-nothing  removes the build folders first and compiles without a cache
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
presets=()
from_nothing=
cases=1
while [ $# -gt 0 ]; do
    case $1 in
    --all)
        presets=(dev tsan fuzz release)
        cases=ci
        ;;
    --preset)
        presets+=("${2:?--preset takes a name}")
        shift
        ;;
    --from-nothing) from_nothing=yes ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
[ ${#presets[@]} -gt 0 ] || presets=(release)
jobs=${STELE_JOBS:-$(nproc)}
fuzz_seconds=${STELE_FUZZ_SECONDS:-10}
logs=$root/build/logs
mkdir -p "$logs"

step() { printf '\n== %s (%s)\n' "$*" "$(date +%H:%M:%S)"; }

install_needs() {
    packaging/install-packages.sh packaging/debian-packages.txt packaging/debian-packages-tests.txt
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        printf 'nodejs\nnpm\n' >"$logs/node-packages.txt"
        packaging/install-packages.sh "$logs/node-packages.txt"
    fi
    if [ -f tests/clients/package-lock.json ]; then
        (cd tests/clients && npm ci --no-audit --no-fund --silent)
    fi
}

# quietly <log> <command>...: the command's output goes to the log, and to us when it fails.
quietly() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 200 "$log"
    printf 'FAILED: %s (all of it: %s)\n' "$*" "$log" >&2
    return 1
}

# build <preset> <argument of the configuration>... ; of the preset fuzz only the fuzzers.
build() {
    local preset=$1 targets=() kind='with what was there already' began=$SECONDS
    [ -z "$from_nothing" ] || rm -rf "build/$preset"
    [ -f "build/$preset/build.ninja" ] || kind='from nothing'
    shift
    quietly "$logs/$preset-configure.log" cmake --preset "$preset" "$@"
    if [ "$preset" = fuzz ]; then
        mapfile -t targets < <(ninja -C build/fuzz -t targets all | grep -oP '^[a-z0-9_]+_fuzz(?=:)' |
            grep -v '^cmake_' | sort -u)
        [ ${#targets[@]} -gt 0 ] || return 0
        targets=(--target "${targets[@]}")
    fi
    local -a compile=(cmake --build --preset "$preset" --parallel "$jobs")
    if [ "$preset" = release ]; then
        quietly "$logs/$preset-product.log" "${compile[@]}" --target stele_product
        printf 'The program and its plugins took %s s, %s, on %s cores.\n' $((SECONDS - began)) \
            "$kind" "$jobs"
    fi
    quietly "$logs/$preset-build.log" "${compile[@]}" "${targets[@]}"
    printf 'The %s build took %s s, %s, on %s cores.\n' "$preset" $((SECONDS - began)) "$kind" \
        "$jobs"
}

run_fuzzer() {
    local fuzzer=$1 name seeds=()
    name=$(basename "$fuzzer")
    mkdir -p "build/fuzz/corpus/$name"
    [ ! -d "tests/fuzz/seeds/${name%_fuzz}" ] || seeds=("tests/fuzz/seeds/${name%_fuzz}")
    quietly "$logs/$name.log" "$fuzzer" -max_total_time="$fuzz_seconds" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="$logs/$name-" "build/fuzz/corpus/$name" "${seeds[@]}"
    printf '%s: %s\n' "$name" "$(grep -E '^(Done|#[0-9]+.*DONE)' "$logs/$name.log" | tail -n 1)"
}

# As many at a time as there are cores; ends with the first that finds something.
run_fuzzers() {
    local fuzzer running=0
    for fuzzer in build/fuzz/bin/*_fuzz; do
        if [ "$running" -ge "$jobs" ]; then
            wait -n
            running=$((running - 1))
        fi
        run_fuzzer "$fuzzer" &
        running=$((running + 1))
    done
    for (( ; running > 0; running--)); do wait -n; done
}

# Leaves ctest's summary line in `summary`; the rest is shown when something failed.
run_suite() {
    local preset=$1 status=0 stores
    local -a form=()
    # A sanitized build has few as it is.
    [ "$preset" != release ] || [ -n "${STELE_LONG:-}" ] || form=(STELE_SHORT="$cases")
    # Some wait for the servers that they started more than they compute: with two for each core the
    # processors rested for a seventh of the time.
    stores=$(mktemp -d)
    env "${form[@]}" STELE_PREPARED_STORES="$stores" \
        ctest --preset "$preset" --parallel $((3 * jobs)) >"$logs/$preset-tests.log" 2>&1 || status=$?
    rm -rf "$stores"
    summary=$(grep -E '^[0-9]+% tests passed' "$logs/$preset-tests.log" || true)
    if [ "$status" -ne 0 ] || [ -z "$summary" ]; then
        cat "$logs/$preset-tests.log"
        # ctest's own summary stands above; repeated, because it is the last line by contract.
        printf '%s\n' "${summary:-ctest ended with status $status and without a summary}"
        exit 1
    fi
}

# What tests store need not outlive them: in memory, where there is room, no commit waits for a disk.
# That commits are synced is shown by tests that drop what was not (tests/storage/power_loss_test.cpp).
keep_files_in_memory() {
    local free_kb folder
    [ -z "${TMPDIR:-}" ] && [ -d /dev/shm ] || return 0
    free_kb=$(df --output=avail -k /dev/shm | tail -n 1)
    [ "$free_kb" -ge $((8 << 20)) ] && awk '/MemAvailable/ { exit $2 < 10 * 2 ^ 20 }' /proc/meminfo || return 0
    folder=$(mktemp -d /dev/shm/stele-tests-XXXXXX)
    chmod 1777 "$folder" # As /tmp: the database of tests is another user's.
    printf '#!/bin/sh\n' >"$folder/probe"
    chmod +x "$folder/probe"
    # Some mount it so that nothing in it can be run, and tests build plugins.
    if "$folder/probe" 2>/dev/null; then
        export TMPDIR=$folder
        trap 'rm -rf "$TMPDIR"' EXIT
    else
        rm -rf "$folder"
    fi
}

[ -z "$from_nothing" ] || export CCACHE_DISABLE=1
keep_files_in_memory
step 'What the build and the tests need'
install_needs
summary=
for preset in "${presets[@]}"; do
    step "Preset $preset"
    case $preset in
    fuzz)
        build fuzz
        run_fuzzers
        ;;
    *)
        bench=OFF
        [ "$preset" != release ] || bench=ON
        build "$preset" -DSTELE_TESTS=ON -DSTELE_BENCH=$bench
        run_suite "$preset"
        grep -E '^ *[0-9]+/[0-9]+ Test' "$logs/$preset-tests.log" || true
        printf '%s: %s\n' "$preset" "$summary"
        ;;
    esac
done
printf '\n%s\n' "$summary"
