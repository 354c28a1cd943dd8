#!/usr/bin/env python3
"""Every link of a document that names a place in this repository leads to a file, and its anchor to a heading."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r'\]\(([^)\s]+)\)')
CODE = re.compile(r'^```.*?^```$|`[^`\n]*`', re.MULTILINE | re.DOTALL)


def anchors_of(file):
    """The anchors that a reader's browser gives to the headings of a file."""
    found = set()
    for line in re.findall(r'^#+ (.*)$', file.read_text(), re.MULTILINE):
        words = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', line.replace('`', '')).strip().lower()
        found.add(re.sub(r'[^\w\- ]', '', words).replace(' ', '-'))
    return found


problems = []
links = 0
documents = [*ROOT.glob('*.md'), *(ROOT / 'docs').rglob('*.md'), *(ROOT / 'plugins').rglob('*.md'),
             *(ROOT / 'sdk').glob('*.md'), *(ROOT / 'kernel').glob('*.md'), *(ROOT / 'tests').glob('*.md')]
for document in sorted(documents):
    for target in LINK.findall(CODE.sub('', document.read_text())):
        if re.match(r'[a-z]+:', target):
            continue
        links += 1
        path, _, anchor = target.partition('#')
        file = (document.parent / path).resolve() if path else document
        name = document.relative_to(ROOT)
        if ROOT not in file.parents or not file.exists():
            problems.append(f'{name}: {target} leads nowhere')
        elif anchor and file.suffix == '.md' and anchor not in anchors_of(file):
            problems.append(f'{name}: {target} names no heading')
if links < 100:
    problems.append(f'only {links} links were found')
print('\n'.join(problems) or f'{links} links hold')
sys.exit(1 if problems else 0)
