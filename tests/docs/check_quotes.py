#!/usr/bin/env python3
"""Code that a guide quotes from a file equals the file's text.

A quote is a fenced block right below a line `<!-- quote: path/of/the/file -->`. It must be a run of
whole lines of the file; a common indentation may be taken away.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUOTE = re.compile(r'^<!-- quote: (\S+) -->\n```\w*\n(.*?)^```$', re.MULTILINE | re.DOTALL)
UNQUOTED = re.compile(r'(?<!-->\n)^```(cpp|cmake)$', re.MULTILINE)


def holds(file_lines, quote_lines):
    """Whether the quote is a run of the file's lines, up to a common indentation."""
    count = len(quote_lines)
    for begin in range(len(file_lines) - count + 1):
        run = textwrap.dedent('\n'.join(file_lines[begin:begin + count]))
        if run.splitlines() == quote_lines:
            return True
    return False


problems = []
quotes = 0
for guide in sorted((ROOT / 'docs').rglob('*.md')):
    text = guide.read_text()
    for path, quote in QUOTE.findall(text):
        quotes += 1
        lines = textwrap.dedent(quote).splitlines()
        file = ROOT / path
        if not file.is_file():
            problems.append(f'{guide.name}: quotes {path}, which does not exist')
        elif not lines or not holds(file.read_text().splitlines(), lines):
            problems.append(f'{guide.name}: this is not the text of {path}:\n{quote}')
    if guide.parent.name == 'guides' and UNQUOTED.search(text):
        problems.append(f'{guide.name}: a code block names no file that it quotes')
if quotes == 0:
    problems.append('no guide quotes anything')
print('\n'.join(problems))
sys.exit(1 if problems else 0)
