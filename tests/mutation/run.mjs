// node tests/mutation/run.mjs [--write | --build | --run] [--only 3,17] [--narrow]
//
// Puts the faults of faults.tsv into a copy of the sources, each behind the environment variable FAULT_OF_STELE, so that
// one build serves all of them; then tells of each which test notices it: first those that its line names, then, but
// for --narrow, the rest of the tests beside the code, of the API and of the specification. Without --write, --build or
// --run: all three. The copy is in build/mutation. It takes hours and nobody waits for it: run by hand.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const tree = join(root, 'build/mutation');
const kMinutes = { narrow: 10, wide: 30 };
const words = process.argv.slice(2);
const steps = words.filter((word) => ['--write', '--build', '--run'].includes(word));
const does = (step) => steps.length === 0 || steps.includes(step);
const only = words.includes('--only') ? words[words.indexOf('--only') + 1].split(',').map(Number) : [];

/// A fault a line: the file, the place with the wrong part between @[ and ]@, what stands there instead, and the tests
/// that should notice it. Its number is that of the line. A part that ends in a semicolon is a statement.
function readFaults() {
  const lines = readFileSync(join(here, 'faults.tsv'), 'utf8').trimEnd().split('\n');
  return lines.map((line, i) => {
    const [file, place, instead, tests, ...more] = line.split('\t');
    if (!tests || more.length > 0) throw new Error(`faults.tsv:${i + 1}: four columns are needed`);
    return { number: i + 1, file, place, instead, tests };
  });
}

/// Where the marked part of the place lies in the text; line breaks and blanks do not count.
function findPart(text, { number, file, place }) {
  const offsets = [...text].flatMap((c, i) => (/\s/.test(c) ? [] : [i]));
  const bare = offsets.map((i) => text[i]).join('');
  const [before, part, after] = place.split(/@\[|\]@/).map((piece) => piece.replace(/\s/g, ''));
  const at = bare.indexOf(before + part + after);
  if (after === undefined || at < 0) throw new Error(`fault ${number}: ${file} does not have ${place}`);
  if (bare.indexOf(before + part + after, at + 1) >= 0) throw new Error(`fault ${number}: ${file} has ${place} twice`);
  const begin = at + before.length;
  return { begin: offsets[begin], end: offsets[begin + part.length - 1] + 1 };
}

function withFaults(file, text, faults) {
  const parts = faults.map((fault) => ({ ...fault, ...findPart(text, fault) })).sort((a, b) => b.begin - a.begin);
  let changed = text;
  for (const { number, begin, end, instead } of parts) {
    const part = text.slice(begin, end);
    const choice = part.endsWith(';') ? `{ if (stele_fault(${number})) { ${instead} } else { ${part} } }`
      : `(stele_fault(${number}) ? (${instead}) : (${part}))`;
    changed = changed.slice(0, begin) + choice + changed.slice(end);
  }
  return `#include "${relative(dirname(file), 'stele_fault.hpp')}"\n${changed}`;
}

/// What is the same already is left alone, so that it is not compiled again.
function put(file, text) {
  const target = join(tree, file);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text);
}

function writeTree(faults) {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const { number, file } of faults) {
    if (!files.includes(file)) throw new Error(`fault ${number}: there is no file ${file}`);
  }
  put('stele_fault.hpp', readFileSync(join(here, 'stele_fault.hpp'), 'utf8'));
  for (const file of files) {
    const own = faults.filter((fault) => fault.file === file);
    const source = readFileSync(join(root, file));
    if (own.length > 0) {
      put(file, withFaults(file, source.toString(), own));
    } else if (!existsSync(join(tree, file)) || !source.equals(readFileSync(join(tree, file)))) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      copyFileSync(join(root, file), join(tree, file));
    }
  }
}

/// What tests of mail and of drivers need, where it was installed.
function linkPackages() {
  const packages = 'tests/clients/node_modules';
  if (existsSync(join(root, packages)) && !existsSync(join(tree, packages))) symlinkSync(join(root, packages), join(tree, packages));
}

function build() {
  const cmake = (...args) => execFileSync('cmake', args, { cwd: tree, stdio: 'inherit' });
  cmake('--preset', 'release', '-DSTELE_BENCH=OFF');
  cmake('--build', '--preset', 'release');
}

/// The test that failed with the fault, or how else the tests ended; nothing when they passed.
async function notice(number, selection, minutes) {
  const child = spawn('ctest', ['--preset', 'release', '-j2', '--stop-on-failure', '--no-tests=error', ...selection],
    { cwd: tree, detached: true, env: { ...process.env, FAULT_OF_STELE: `${number}` }, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (text) => { out += text; });
  let isLate = false;
  const limit = setTimeout(() => { isLate = true; process.kill(-child.pid, 'SIGKILL'); }, minutes * 60_000);
  const code = await new Promise((done) => { child.on('close', done); });
  clearTimeout(limit);
  writeFileSync(join(tree, `fault-${number}.log`), out);
  if (isLate) return `tests that do not end within ${minutes} minutes`;
  const failed = [...out.matchAll(/Test +#\d+: (\S+) .*\*\*\*(?:Failed|Timeout|Exception)/g)].map(([, test]) => test);
  if (failed.length > 0) return failed.join(', ');
  if (code !== 0) throw new Error(`ctest ended with ${code}:\n${out}`);
  return '';
}

async function run(faults) {
  const named = [...new Set(faults.map(({ tests }) => tests))].join('|');
  const broken = await notice(0, ['-R', named], kMinutes.wide);
  if (broken) throw new Error(`without a fault there fails: ${broken}; see ${tree}/fault-0.log`);
  const survivors = [];
  for (const { number, file, place, instead, tests } of faults) {
    let noticed = await notice(number, ['-R', tests], kMinutes.narrow);
    if (!noticed && !words.includes('--narrow')) noticed = await notice(number, ['-L', '^(unit|api|specification)$', '-E', tests], kMinutes.wide);
    if (!noticed) survivors.push(number);
    console.log(`${number}\t${noticed ? `noticed by ${noticed}` : 'SURVIVED'}\t${file}\t${place}\t${instead}`);
  }
  console.log(`${faults.length - survivors.length} of ${faults.length} noticed; survived: ${survivors.join(', ') || 'none'}`);
}

const faults = readFaults();
if (does('--write')) {
  writeTree(faults);
  linkPackages();
}
if (does('--build')) build();
if (does('--run')) await run(only.length > 0 ? faults.filter(({ number }) => only.includes(number)) : faults);
