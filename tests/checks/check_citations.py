#!/usr/bin/env python3
"""The repository stands alone: nothing in it names a path outside, a paper that it does not hold, or a
section of docs/specification that is not there.

- a path that climbs out of the repository, or begins at a developer's folder or an overriding variable;
- a Markdown file that is neither beside the text that names it, nor at the root, nor anywhere under docs;
- "docs/specification/nodes.md 11.4" where nodes.md has neither that section nor that statement;
- in docs/specification itself: lists whose numbers have gaps, since tests and code cite them.
"""
import pathlib
import posixpath
import re

import sources

SPECIFICATION = 'docs/specification'
ENDINGS = ('.cpp', '.hpp', '.h', '.py', '.mjs', '.sh', '.md', '.txt', '.cmake', '.json', '.lua', '.in',
           '.yml', '.conf', '.service', '')
FOLDERS = ('.ci', 'CMakeLists.txt', 'CMakePresets.json', 'CONTRIBUTING.md', 'README.md', 'CHANGELOG.md',
           'docs', 'kernel', 'packaging', 'plugins', 'sdk', 'tests')
NOT_OURS = ('tests/clients/package-lock.json',)
# Texts that a server must refuse, or must not answer: there climbing out is the point.
HOSTILE = re.compile(r'(hostile|injection|unzip|_fuzz|fuzz/seeds|store_files|_test\.)')

OUTSIDE = re.compile(r'STELE_SHARED|\.\./shared|(?<![\w.-])/(?:work/(?!scheduled)|home/|Users/)\w')
CLIMBS = re.compile(r'(?<![\w.])(?<!\$ORIGIN/)(?:\.\./)+[\w-][\w./-]*')
PAPER = re.compile(r'(?<![\w<>*{}$.-])((?:[\w.-]+/|\.\./)*[\w-]+\.md)\b')
NUMBER = r'\d+(?:\.\d+)*'
CITED = re.compile(rf'(?:{SPECIFICATION}/)(\w+)\.md((?:(?:,| and| to)? {NUMBER}(?![\w%]))+)')
CITED_BESIDE = re.compile(rf'(?<![\w/])(\w+)\.md((?:(?:,| and| to)? {NUMBER}(?![\w%]))+)')
LINE_START = re.compile(r'\n[ \t]*(?:///?|#|\*)?[ \t]*')
HEADING = re.compile(r'^#{2,3} (\d+(?:\.\d+)?)\.? ')
ITEM = re.compile(r'^(\d+)\. ')


def read_specification():
    """By file: its sections and statements; and what is wrong with the numbers."""
    known, wrong = {}, []
    for path in sorted((sources.ROOT / SPECIFICATION).glob('*.md')):
        numbers, section, last = set(), None, 0
        for line in path.read_text().splitlines():
            if heading := HEADING.match(line):
                section, last = heading.group(1), 0
                if section in numbers:
                    wrong.append(f'{sources.name(path)}: section {section} is there twice')
                numbers.add(section)
            elif item := ITEM.match(line):
                last += 1
                if int(item.group(1)) != last:
                    wrong.append(f'{sources.name(path)}: after {section}.{last - 1} comes {item.group(1)}')
                numbers.add(f'{section}.{last}' if section else str(last))
        known[path.stem] = numbers
    return known, wrong


PAGES = [sources.name(page) for page in (sources.ROOT / 'docs').rglob('*.md')]


def is_here(named, path):
    if any((place / named).is_file() for place in (path.parent, sources.ROOT)):
        return True
    return any(page.endswith('/' + named) for page in PAGES)


def climbs_out(named, path):
    folder = posixpath.dirname(sources.name(path))
    return posixpath.normpath(posixpath.join(folder, named)).startswith('..')


def check(path, known):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    name = sources.name(path)
    for line_number, line in enumerate(text.splitlines(), 1):
        here = f'{name}:{line_number}'
        for found in OUTSIDE.finditer(line):
            yield f'{here} names a place outside the repository: {found.group()}'
        if HOSTILE.search(name):
            continue
        for found in CLIMBS.finditer(line):
            if climbs_out(found.group(), path):
                yield f'{here} climbs out of the repository: {found.group()}'
        for found in PAPER.finditer(line):
            if not is_here(found.group(1), path):
                yield f'{here} cites what the repository does not hold: {found.group(1)}'
    beside = name.startswith(SPECIFICATION + '/')
    for found in (CITED_BESIDE if beside else CITED).finditer(LINE_START.sub(' ', text)):
        for number in re.findall(NUMBER, found.group(2)):
            if number not in known.get(found.group(1), ()):
                yield f'{name} cites {found.group(1)}.md {number}, which {SPECIFICATION} does not have'


KNOWN, PROBLEMS = read_specification()
SELF = pathlib.Path(__file__).resolve()
for file in sources.files(*ENDINGS, under=FOLDERS):
    if file != SELF and sources.name(file) not in NOT_OURS:
        PROBLEMS.extend(check(file, KNOWN))
sources.report(PROBLEMS)
