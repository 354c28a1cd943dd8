#!/usr/bin/env python3
"""check_headers.py <compiler>: each header of the SDK compiles alone."""
import concurrent.futures
import os
import subprocess
import sys

import sources

compiler = sys.argv[1]
include = sources.ROOT / 'sdk/include'


def compile_alone(header):
    text = f'#include <{header.relative_to(include)}>\n'
    command = [compiler, '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Werror',
               '-DJSON_USE_IMPLICIT_CONVERSIONS=0', f'-I{include}', '-x', 'c++', '-']
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f'{sources.name(header)} does not compile alone:\n{done.stderr[:2000]}'


headers = sources.files('.hpp', under=('sdk/include',))
assert headers, 'no headers were found'
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    sources.report([problem for problem in pool.map(compile_alone, headers) if problem])
