#!/usr/bin/env python3
"""check_headers.py <compiler>: each header of the SDK compiles alone."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import sources

compiler = sys.argv[1]
include = sources.ROOT / 'sdk/include'
# Most of the time goes into these: a header that includes all of a set anyway takes it compiled.
HEAVY = [('nlohmann/json.hpp', 'boost/system/result.hpp', 'memory', 'functional'),
         ('nlohmann/json_fwd.hpp', 'boost/system/result.hpp', 'memory'),
         ('boost/system/result.hpp', 'string_view')]
FLAGS = ['-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-DJSON_USE_IMPLICIT_CONVERSIONS=0',
         f'-I{include}']


def included(name, seen):
    """What a header includes, directly or through others of the SDK."""
    if name in seen:
        return seen
    seen.add(name)
    if (include / name).exists():
        for found in re.findall(r'^#include <(.+)>', (include / name).read_text(), re.MULTILINE):
            included(found, seen)
    return seen


def precompile(folder, number):
    header = pathlib.Path(folder) / f'heavy_{number}.hpp'
    header.write_text(''.join(f'#include <{name}>\n' for name in HEAVY[number]))
    subprocess.run([compiler, *FLAGS, '-x', 'c++-header', header, '-o', f'{header}.gch'], check=True)
    return header


def compile_alone(header, precompiled):
    name = str(header.relative_to(include))
    names = included(name, set())
    fitting = [made for made, heavy in zip(precompiled, HEAVY) if names.issuperset(heavy)]
    first = ['-include', fitting[0]] if fitting else []
    done = subprocess.run([compiler, *FLAGS, '-fsyntax-only', *first, '-x', 'c++', '-'],
                          input=f'#include <{name}>\n', capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f'{sources.name(header)} does not compile alone:\n{done.stderr[:2000]}'


headers = sources.files('.hpp', under=('sdk/include',))
assert headers, 'no headers were found'
with tempfile.TemporaryDirectory() as folder, \
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    precompiled = list(pool.map(lambda number: precompile(folder, number), range(len(HEAVY))))
    problems = pool.map(lambda header: compile_alone(header, precompiled), headers)
    sources.report([problem for problem in problems if problem])
