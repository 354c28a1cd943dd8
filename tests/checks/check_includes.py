#!/usr/bin/env python3
"""Includes go one way: plugins and kernel to the SDK, never back, never between plugins; rooms of
the kernel only downwards; and the kernel neither names a plugin nor says its words."""
import re

import sources

# From the bottom upwards, as in kernel/CMakeLists.txt.
ROOMS = ['file', 'config', 'job', 'authority', 'pagination', 'storage', 'backup', 'admin', 'audit',
         'plugin', 'resource', 'http', 'client', 'instance', 'command']
# Words of the kernel's own that happen to be ids of plugins too: the platform is a record, identity
# a content coding of HTTP.
WORDS = {'platform', 'identity'}
# Words of plugins' own that no code of the kernel says; each asks an interface in their place.
PLUGIN_WORDS = {
    'identity': re.compile(
        r'[Gg]itana|GITANA|TICKET|ticket_|access_token|refresh_token|oauth|[Ii]mpersonat'
        r'|admin_password|"administrator:|client[_ ](?:key|secret|id)\b|"(?:client|authenticationGrant)"'
        r'|= "(?:domain|principal|directory|connection)"'),
}

# A client says the words of the published protocol by which it logs in, to whatever server
# (docs/decisions/0150-transfers-by-command.md).
CLIENTS = {'client'}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
problems = []


def includes(path):
    return [match.group(2) for match in INCLUDE.finditer(path.read_text())]


plugins = {path.parent.name for path in (sources.ROOT / 'plugins').glob('*/CMakeLists.txt')}
for path in sources.files('.cpp', '.hpp', under=('plugins',)):
    own = path.relative_to(sources.ROOT / 'plugins').parts[0]
    is_test = path.name.endswith('_test.cpp') or 'tests' in path.parts
    for included in includes(path):
        first = included.split('/')[0]
        if is_test and included.startswith('sdk/testing/'):
            continue
        if first in ('kernel', 'sdk', 'plugins', 'tests'):
            problems.append(f'{sources.name(path)}: includes {included}; plugins include the SDK only')
        if first == '..' and own not in (path.parent / included).resolve().parts:
            problems.append(f'{sources.name(path)}: includes {included} of another plugin')

for path in sources.files('.cpp', '.hpp', under=('sdk/include', 'sdk/src')):
    for included in includes(path):
        if included.split('/')[0] in ('kernel', 'plugins'):
            problems.append(f'{sources.name(path)}: includes {included}; the SDK knows nobody')

literal = re.compile(r'"(' + '|'.join(sorted(plugins - WORDS)) + r')(?:\.so)?"')
for path in sources.files('.cpp', '.hpp', under=('kernel',)):
    parts = path.relative_to(sources.ROOT / 'kernel').parts
    is_test = path.name.endswith('_test.cpp')
    for included in includes(path):
        found = included.split('/')
        if found[0] == 'plugins':
            problems.append(f'{sources.name(path)}: includes {included}; the kernel knows no plugin')
        is_between_rooms = found[0] == 'kernel' and parts[0] in ROOMS and found[1] in ROOMS
        if is_between_rooms and ROOMS.index(found[1]) > ROOMS.index(parts[0]):
            problems.append(f'{sources.name(path)}: includes {included} of a room above its own')
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = literal.search(line.split('//')[0])
        if match and not is_test:
            problems.append(f'{sources.name(path)}:{number}: names the plugin {match.group(1)}')
        for plugin, words in PLUGIN_WORDS.items():
            said = words.search(line.split('//')[0])
            if said and not is_test and parts[0] not in CLIENTS:
                problems.append(f'{sources.name(path)}:{number}: says {said.group()}, a word of the '
                                f'plugin {plugin}')
sources.report(problems)
