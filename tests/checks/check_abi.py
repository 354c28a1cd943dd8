#!/usr/bin/env python3
"""check_abi.py <nm> <libstele_sdk.so> [--record]

Compares the SDK's interface with the one recorded in sdk/abi for its version: the declarations of
the headers, and what the library exports. `--record`, at a release, writes the record. A version
without a record is not released yet, and free to change.
"""
import difflib
import re
import subprocess
import sys

import sources

nm, library = sys.argv[1:3]
include = sources.ROOT / 'sdk/include/stele/sdk'
manifest = (include / 'plugin.hpp').read_text()
version = '.'.join(re.search(rf'{part} = (\d+);', manifest).group(1)
                   for part in ('kSdkMajor', 'kSdkMinor'))
record = sources.ROOT / 'sdk/abi' / f'{version}.txt'


def declarations(header):
    """The header without comments, one declaration a line."""
    text = re.sub(r'//.*', '', header.read_text())
    text = re.sub(r'^#pragma once', '', text, flags=re.MULTILINE)
    preprocessor = re.findall(r'^#.*', text, flags=re.MULTILINE)
    text = re.sub(r'^#.*', '', text, flags=re.MULTILINE)
    lines = re.sub(r'([;{}])', r'\1\n', re.sub(r'\s+', ' ', text)).splitlines()
    return preprocessor + [line.strip() for line in lines if line.strip()]


def interface():
    lines = []
    for header in sources.files('.hpp', under=('sdk/include',)):
        lines += [f'== {header.relative_to(include)}', *declarations(header)]
    symbols = subprocess.run([nm, '--dynamic', '--defined-only', '--demangle', '--format=posix',
                              library], capture_output=True, text=True, check=True).stdout
    names = {re.sub(r' [A-Za-z] [0-9a-f]+.*$', '', line) for line in symbols.splitlines()}
    return lines + ['== exported'] + sorted(line for line in names if 'stele::' in line)


today = interface()
if '--record' in sys.argv:
    record.write_text('\n'.join(today) + '\n')
elif not record.exists():
    print(f'SDK {version} is not recorded in sdk/abi: not released yet')
else:
    changes = list(difflib.unified_diff(record.read_text().splitlines(), today, record.name, 'today',
                                        lineterm='', n=1))
    if changes:
        changes.append(f'The interface of SDK {version} changed after its release: raise kSdkMinor.')
    sources.report(changes)
