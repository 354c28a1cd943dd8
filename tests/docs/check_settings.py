"""check_settings.py <stele> : docs/reference/configuration.md shows what `stele config` prints."""
import pathlib
import subprocess
import sys

page = pathlib.Path(__file__).parents[2] / 'docs/reference/configuration.md'
shown = page.read_text().split('```ini\n')[1].split('```')[0].strip()
printed = subprocess.run([sys.argv[1], 'config'], check=True, capture_output=True, text=True)
if shown != printed.stdout.strip():
    sys.exit(f'{page} differs from what `stele config` prints:\n{printed.stdout}')
