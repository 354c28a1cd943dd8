"""Finds the repository's own files for the checks of the sources."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files(*endings, under=('kernel', 'sdk', 'plugins', 'tests')):
    """Files with one of the endings, sorted. Without git (an unpacked archive) the folders count."""
    command = ['git', '-c', 'safe.directory=*', '-C', str(ROOT), 'ls-files', '-co',
               '--exclude-standard', '--', *under]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        paths = [ROOT / line for line in listed.stdout.splitlines()]
    else:
        paths = [path for folder in under for path in (ROOT / folder).rglob('*')
                 if 'node_modules' not in path.parts]
    return sorted(path for path in paths if path.suffix in endings and path.is_file())


def name(path):
    return str(path.relative_to(ROOT))


def report(problems):
    """Prints the problems and ends the process as a test does."""
    for problem in problems:
        print(problem)
    raise SystemExit(1 if problems else 0)
