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
JSON = 'nlohmann/json.hpp'
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


def compile_json(folder):
    """Most of the time goes into one header: whoever includes it anyway takes it compiled."""
    header = f'{folder}/json_first.hpp'
    pathlib.Path(header).write_text(f'#include <{JSON}>\n')
    subprocess.run([compiler, *FLAGS, '-x', 'c++-header', header, '-o', f'{header}.gch'], check=True)
    return ['-include', header]


def compile_alone(header, json_first):
    name = str(header.relative_to(include))
    first = json_first if JSON in included(name, set()) else []
    done = subprocess.run([compiler, *FLAGS, '-fsyntax-only', *first, '-x', 'c++', '-'],
                          input=f'#include <{name}>\n', capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f'{sources.name(header)} does not compile alone:\n{done.stderr[:2000]}'


headers = sources.files('.hpp', under=('sdk/include',))
assert headers, 'no headers were found'
with tempfile.TemporaryDirectory() as folder, \
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    json_first = compile_json(folder)
    problems = pool.map(lambda header: compile_alone(header, json_first), headers)
    sources.report([problem for problem in problems if problem])
