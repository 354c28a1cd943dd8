#!/usr/bin/env python3
"""Every C++ source is laid out as .clang-format says, by the one version that decides."""
import shutil
import subprocess
import sys

import sources

program = shutil.which('clang-format-14') or shutil.which('clang-format')
if program is None:
    sys.exit('clang-format-14 is missing')
version = subprocess.run([program, '--version'], capture_output=True, text=True, check=True).stdout
if ' 14.' not in version:
    sys.exit(f'found {version.strip()}, wanted clang-format 14')
paths = [str(path) for path in sources.files('.cpp', '.hpp')]
done = subprocess.run([program, '--dry-run', '-Werror', *paths], cwd=sources.ROOT,
                      capture_output=True, text=True, check=False)
print('\n'.join(line for line in done.stderr.splitlines() if 'error:' in line))
sys.exit(done.returncode)
