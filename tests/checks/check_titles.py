#!/usr/bin/env python3
"""Titles of tests have one form: a sentence that begins with a small letter, unless with a name, and ends
without a point. In files that follow a specification the number of its section stands before it."""
import re

import sources

# What begins with a large letter in the middle of a sentence, too.
NAMES = {'Czech', 'German', 'Japanese', 'Swedish', 'Canadian', 'Unicode', 'Bearer'}
IN_CPP = re.compile(r'\bTEST_CASE(?:_METHOD)?\(\s*(?:\w+\s*,\s*)?"((?:[^"\\]|\\.)*)"')
IN_NODE = re.compile(r'^\s*(?:test|it)\(([\'"`])(.*?)(?<!\\)\1', re.MULTILINE)
NUMBER = re.compile(r'^[0-9][0-9., and–-]*: ')


def is_name(word):
    """A word of HTTP, a number, or one of the names."""
    plain = word.rstrip(',:;')
    return plain in NAMES or not plain[:1].isupper() or (len(plain) > 1 and re.search(r'[A-Z0-9-]', plain[1:]))


problems = []
for path in sources.files('.cpp', '.mjs', under=('kernel', 'plugins', 'sdk', 'tests')):
    text = path.read_text()
    titles = IN_CPP.findall(text) if path.suffix == '.cpp' else [title for _, title in IN_NODE.findall(text)]
    for title in titles:
        sentence = NUMBER.sub('', title)
        first = sentence.split(' ')[0]
        if not is_name(first) or sentence.endswith('.'):
            problems.append(f'{sources.name(path)}: the title "{title}" begins large or ends with a point')
sources.report(problems)
