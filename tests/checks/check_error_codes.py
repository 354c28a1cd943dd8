#!/usr/bin/env python3
"""Every error code of the sources is listed in docs/reference/errors, and every listed one is used.
A code that only one plugin uses begins with the plugin's id.

A code is text of the form "area.noun_problem". What looks like one and is not stands in NOT_CODES.
"""
import collections
import re

import sources

NOT_CODES = {
    'kernel.container': 'a key space',
    'kernel.usage': 'a key space',
    'kernel.installed': 'a key space',
    'kernel.declared': 'a key space',
    'kernel.prepared': 'a key space',
    'kernel.teams': 'a key space',
    'kernel.restore': 'a key space',
    'kernel.copy': 'a key space',
    'login.refused': 'a type of activities',
    'refused.omitted': 'a type of activities',
    'kernel.preparing': 'a key space',
    'kernel.noted': 'a part of contexts',
    'access_policies.assignment': 'a key space',
    'identity.sessions': 'a key space',
    'identity.names': 'a key space',
    'identity.spent_ids': 'a key space',
    'node_rules.copy': 'a key space',
    'node_rules.mark': 'a key space',
    'node_rules.wave': 'a key space',
    'nodes.branch': 'a key space',
    'nodes.repository': 'a key space',
    'nodes.content': 'a key space',
    'nodes.spaces': 'a key space',
    'nodes.loads': 'a key space',
    'nodes.file': 'a key space',
    'nodes.index_build': 'a key space',
    'nodes.bytes': 'a key space',
    'nodes.changes': 'a part of contexts',
    'nodes.sweep': 'a type of jobs',
    'nodes.collect_load': 'a type of jobs',
    'options.locale': 'a query parameter',
    'source.query': 'a member of reports',
    'archive.zip': 'a file',
    'stele.lock': 'a file',
    'stele.seal': 'a file',
    'blobs.owner': 'a file',
    'stele.reserve': 'a file',
    'stele.seal': 'a file',
    'blobs.owner': 'a file',
    'platform.stack': 'a key space',
    'platform.project': 'a key space',
    'admin.sock': 'a file',
    'leveldb.stats': 'a property of LevelDB',
}
# Areas whose sources state the part behind the dot alone, in the calls that the pattern finds.
ASSEMBLED = {
    'page': ('kernel/pagination', re.compile(r'\bfail\([^,;]+,\s*"([a-z_]+)"')),
    'query': ('kernel/storage', re.compile(r'\badd\(\s*"([a-z_]+)"')),
}
# Made of the name of a parameter.
MADE = {'page.skip_invalid', 'page.limit_invalid'}
SETTINGS = 'kernel/config/kernel_settings.cpp'
LITERAL = re.compile(r'"([a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)"')
FILE_ENDINGS = ('.hpp', '.json', '.so', '.txt')

settings = set(LITERAL.findall((sources.ROOT / SETTINGS).read_text()))
used = collections.defaultdict(set)
for code in MADE:
    used[code].add(ASSEMBLED[code.split('.')[0]][0])
for path in sources.files('.cpp', '.hpp', under=('kernel', 'sdk/src', 'sdk/include', 'plugins')):
    if path.name.endswith('_test.cpp') or 'tests' in path.parts:
        continue
    text = path.read_text()
    for code in LITERAL.findall(text):
        if code not in NOT_CODES and code not in settings and not code.endswith(FILE_ENDINGS):
            used[code].add(sources.name(path))
    for area, (folder, call) in ASSEMBLED.items():
        if sources.name(path).startswith(folder):
            for problem in call.findall(text):
                used[f'{area}.{problem}'].add(sources.name(path))

listed = {}
problems = []
for page in sorted((sources.ROOT / 'docs/reference/errors').glob('*.md')):
    for row in re.finditer(r'^\|\s*`?([a-z0-9_]+\.[a-z0-9_]+)`?\s*\|', page.read_text(), re.MULTILINE):
        code = row.group(1)
        if code in listed:
            problems.append(f'{code} is listed twice: {listed[code]}, {page.name}')
        listed[code] = page.name

for code in sorted(set(used) - set(listed)):
    problems.append(f'{code} is not listed in docs/reference/errors ({", ".join(sorted(used[code]))})')
for code in sorted(set(listed) - set(used)):
    problems.append(f'{code} is listed in {listed[code]}, but no source uses it')
for code, paths in sorted(used.items()):
    users = {path.split('/')[1] if path.startswith('plugins/') else 'kernel' for path in paths}
    if len(users) == 1 and 'kernel' not in users and code.split('.')[0] not in users:
        problems.append(f'{code} does not begin with the plugin that uses it, {users.pop()}')
sources.report(problems)
