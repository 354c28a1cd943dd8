#!/bin/sh
# checker_test.sh <stele_plugin_check> <folder of broken plugins>
# The checker refuses every broken plugin with status 1 and the sentence of its failure.
set -u
checker=$1
broken=$2
failures=0

# refused <library below the folder> <words of the sentence> [further arguments of the checker]
refused() {
    library=$broken/$1
    words=$2
    shift 2
    output=$("$checker" "$library" "$@" 2>&1)
    status=$?
    if [ "$status" -ne 1 ] || ! printf '%s\n' "$output" | grep '^failed' | grep -qF "$words"; then
        printf '%s: status %s, wanted 1 and "%s", found:\n%s\n' "$library" "$status" "$words" \
            "$output"
        failures=$((failures + 1))
    fi
}

refused no_manifest/no_manifest.so 'found no exported object stele_plugin'
refused wrong_magic/wrong_magic.so 'wrong magic'
refused wrong_sdk_version/wrong_sdk_version.so 'found a plugin for SDK 2.0, wanted SDK 1.0'
refused wrong_fingerprint/wrong_fingerprint.so "found build '?"
refused id_mismatch/id_mismatch.so 'found plugin id another_id, wanted id_mismatch'
refused endless_text/endless_text.so 'has no end'
refused null_open/null_open.so 'names no open function'
refused unresolved_symbol/unresolved_symbol.so 'open_elsewhere'
refused missing_requirement/missing_requirement.so 'requires plugin nowhere, which was not found'
refused requirement_cycle/hen.so 'hen requires egg' --plugins "$broken/requirement_cycle"
refused throws_in_open/throws_in_open.so 'the ink has dried up'
refused fails_in_open/fails_in_open.so 'there is no ink'
refused incomplete_descriptor/incomplete_descriptor.so 'path is missing'
refused duplicate_route/duplicate_route.so '/slates'
refused undescribed_setting/undescribed_setting.so 'setting undescribed_setting.ink: it has no description'
refused nothing_here.so 'cannot be read'
[ "$failures" -eq 0 ]
