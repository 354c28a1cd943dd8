#!/usr/bin/env python3
"""Folders can be found and understood: at most 25 sources beside one another, each folder of a room
described in a README, and no circle of folders that include each other."""
import collections
import re

import sources

SOURCES = 25
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
UNDER = ('kernel', 'plugins', 'sdk/src')


def is_test(path):
    return path.name.endswith('_test.cpp') or 'tests' in path.relative_to(sources.ROOT).parts


def target(path, included):
    """The file that an include means, or None: beside it, in its plugin, in the SDK's sources, or
    from the root."""
    parts = path.relative_to(sources.ROOT).parts
    own = sources.ROOT.joinpath(*parts[:2])
    for base in (path.parent, own, sources.ROOT):
        found = (base / included).resolve()
        if found.is_file():
            return found
    return None


def circles(arrows):
    """Every set of folders of which each is reached from each (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(folder):
        index[folder] = low[folder] = len(index)
        stack.append(folder)
        for other in sorted(arrows[folder]):
            if other not in index:
                visit(other)
            if other in stack:
                low[folder] = min(low[folder], low[other])
        if low[folder] == index[folder]:
            circle = stack[stack.index(folder):]
            del stack[stack.index(folder):]
            if len(circle) > 1:
                found.append(circle)

    for folder in sorted(arrows):
        if folder not in index:
            visit(folder)
    return found


def readme_names(folder):
    """Whether a README describes the folder: its own, or one above that names it by its path."""
    for above in (folder, *folder.parents):
        readme = above / 'README.md'
        if above == folder and readme.is_file():
            return True
        if readme.is_file() and f'`{folder.relative_to(above)}/`' in readme.read_text():
            return True
        if above == sources.ROOT:
            return False
    return False


problems = []
counts = collections.Counter()
arrows = collections.defaultdict(set)
for path in sources.files('.cpp', '.hpp', under=UNDER):
    if is_test(path):
        continue
    folder = path.parent
    counts[folder] += path.suffix == '.cpp'
    arrows[folder]  # every folder has a place in the picture
    for included in INCLUDE.findall(path.read_text()):
        found = target(path, included)
        if found and found.parent != folder and found.is_relative_to(sources.ROOT):
            arrows[folder].add(found.parent)
            arrows[found.parent]
for folder, count in sorted(counts.items()):
    if count > SOURCES:
        problems.append(f'{sources.name(folder)}: {count} sources, at most {SOURCES}')
    if not readme_names(folder):
        problems.append(f'{sources.name(folder)}: no README says what belongs in it')
for circle in circles(arrows):
    problems.append('a circle of folders: ' + ', '.join(sorted(map(sources.name, circle))))
sources.report(problems)
