#!/usr/bin/env python3
"""No source beyond the hard limits of CONTRIBUTING.md: 500 lines a file, 70 a function."""
import sources

FILE_LINES = 500
FUNCTION_LINES = 70


def long_functions(lines):
    """Blocks that begin with an unindented line ending in `{` and end with an unindented `}`."""
    begin = None
    for number, line in enumerate(lines, 1):
        is_unindented = line[:1] not in (' ', '\t', '', '#', '}', '/')
        if is_unindented and begin is None:
            begin = number
        if line.rstrip().endswith(';') and is_unindented and begin == number:
            begin = None
        if begin is not None and line.startswith('namespace') and line.rstrip().endswith('{'):
            begin = None
        if line.startswith('}'):
            if begin is not None and not line.startswith('};') and number - begin > FUNCTION_LINES:
                yield begin, number - begin
            begin = None


problems = []
for path in sources.files('.cpp', '.hpp', under=('kernel', 'sdk/src', 'sdk/include', 'plugins')):
    if path.name.endswith('_test.cpp'):
        continue
    lines = path.read_text().splitlines()
    if len(lines) > FILE_LINES:
        problems.append(f'{sources.name(path)}: {len(lines)} lines, at most {FILE_LINES}')
    for begin, length in long_functions(lines):
        problems.append(f'{sources.name(path)}:{begin}: a function of {length} lines, at most '
                        f'{FUNCTION_LINES}')
sources.report(problems)
