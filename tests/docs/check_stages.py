#!/usr/bin/env python3
"""docs/request-life.md names the stages that the code has, in their order, and files that there are."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'\{\s*"([^"]+)",\s*"([^"]+)"')


def rows(path):
    """Names and sources of the stages that a source lists."""
    return ROW.findall((ROOT / path).read_text())


outside = rows('kernel/http/message/stages.hpp')
inside = rows('kernel/resource/operations/execute.cpp')
names = [name for name, _ in outside]
begin = names.index('begin') + 1 if 'begin' in names else 0
code = outside[:begin] + inside + outside[begin:]

page = (ROOT / 'docs/request-life.md').read_text()
table = re.search(r'^\| Stage \|.*?\n\n', page, re.MULTILINE | re.DOTALL).group(0)
told = [[cell.strip() for cell in line.split('|')[1:-1]] for line in table.splitlines()[2:] if line]

problems = []
if len(inside) < 5 or len(outside) < 5:
    problems.append('the lists of stages were not found in the code')
if [row[0] for row in told] != [name for name, _ in code]:
    problems.append(f'told: {[row[0] for row in told]}\ncode: {[name for name, _ in code]}')
for name, source in code:
    if not (ROOT / source).is_file():
        problems.append(f'{name}: there is no {source}')
    if not any(row[0] == name and f'`{source}`' in row[2] for row in told):
        problems.append(f'{name}: the page does not say that it lies in {source}')
for path in re.findall(r'`((?:kernel|plugins|sdk|tests|docs)/[^`* ]+)`', page):
    if not (ROOT / path).exists():
        problems.append(f'the page names {path}, which is not there')
# A stage that has a source of its own is told somewhere on the page.
for path in sorted((ROOT / 'kernel/http/pipeline/stages').glob('*.cpp')):
    if f'`{path.relative_to(ROOT)}`' not in page:
        problems.append(f'the page does not name {path.relative_to(ROOT)}')
# A stage of the list that nobody enters would be a comment.
sources = ''.join(path.read_text() for path in (ROOT / 'kernel/http').rglob('*.cpp'))
for constant in re.findall(r'constexpr Stage (k\w+)', (ROOT / 'kernel/http/message/stages.hpp').read_text()):
    if f'stages::{constant}' not in sources:
        problems.append(f'nobody enters the stage {constant}')
print('\n'.join(problems) or f'{len(code)} stages are told')
sys.exit(1 if problems else 0)
