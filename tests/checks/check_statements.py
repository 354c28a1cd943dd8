#!/usr/bin/env python3
"""Every statement of docs/specification has a case in tests/specification, another test that holds it, or a reason.

Tests of plugins may have cases, too. A case is `statement('platform 4.4.2', ...)`. tests/specification/elsewhere.txt names tests elsewhere, each as
"statement | file | title"; reasons.txt says "statement or section | reason". Both are checked: the test must be
there, and a reason must not stand beside a case. `--count` prints how many there are of each.
"""
import collections
import re
import sys

import sources

FOLDER = sources.ROOT / 'tests/specification'
HEADING = re.compile(r'^#{2,3} (\d+(?:\.\d+)?)\.? ')
ITEM = re.compile(r'^(\d+)\. (.*)')
CASE = re.compile(r"^statement\('([^']+)'", re.MULTILINE)


def statements():
    found = {}
    for path in sorted((sources.ROOT / 'docs/specification').glob('*.md')):
        section = ''
        for line in path.read_text().splitlines():
            if heading := HEADING.match(line):
                section = heading.group(1) + '.'
            elif item := ITEM.match(line):
                found[f'{path.stem} {section}{item.group(1)}'] = item.group(2)
    return found


def rows(name):
    for number, line in enumerate((FOLDER / name).read_text().splitlines(), 1):
        if line and not line.startswith('#'):
            yield f'tests/specification/{name}:{number}', [part.strip() for part in line.split(' | ', 2)]


def is_in(name, place):
    """Whether a statement lies in a place: itself, a section or a whole file."""
    return name == place or name.startswith((place + '.', place + ' '))


ALL = statements()
problems = []
cases = collections.Counter()
for path in sorted([*FOLDER.glob('*.test.mjs'), *(sources.ROOT / 'plugins').glob('*/tests/*.test.mjs')]):
    for numbers in CASE.findall(path.read_text()):
        for name in numbers.split(', '):
            cases[name] += 1
            if name not in ALL:
                problems.append(f'{sources.name(path)} has a case for {name}, which is no statement')
problems += [f'{name} has {count} cases' for name, count in cases.items() if count > 1]

elsewhere = set()
for place, parts in rows('elsewhere.txt'):
    if len(parts) != 3:
        problems.append(f'{place} is not "statement | file | title"')
        continue
    name, file, title = parts
    test = sources.ROOT / file
    if name not in ALL:
        problems.append(f'{place}: {name} is no statement')
    elif not test.is_file() or title not in test.read_text():
        problems.append(f'{place}: {file} has no test "{title}"')
    elif name in cases:
        problems.append(f'{place}: {name} has a case of its own')
    elsewhere.add(name)

reasons = {}
for place, parts in rows('reasons.txt'):
    covered = [name for name in ALL if is_in(name, parts[0])] if len(parts) == 2 else []
    if not covered:
        problems.append(f'{place} is not "statement or section | reason"')
    used = [name for name in covered if name not in cases and name not in elsewhere]
    if covered and not used:
        problems.append(f'{place}: everything in {parts[0]} is tested')
    reasons.update((name, parts[1]) for name in used)

missing = [name for name in ALL if name not in cases and name not in elsewhere and name not in reasons]
if '--count' in sys.argv:
    print(f'{len(ALL)} statements: {len(cases)} cases, {len(elsewhere - set(cases))} elsewhere, '
          f'{len(reasons)} with a reason, {len(missing)} missing')
problems += [f'{name} has no case: {ALL[name]}' for name in missing]
sources.report(problems)
