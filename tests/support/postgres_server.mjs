// A private PostgreSQL for tests (postgres.sh), and the settings by which `stele` uses it.
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

const script = new URL('postgres.sh', import.meta.url).pathname;
const run = (...args) => promisify(execFile)(script, args);

/// Servers that share a store seal with one key.
const key = '0123456789abcdef'.repeat(4);

export class PostgresServer {
  /// With `withStandby`, a synchronous standby stands by to be promoted.
  static async start({ withStandby = false } = {}) {
    const server = new PostgresServer();
    server.folder = mkdtempSync(join(tmpdir(), 'stele-postgres-'));
    chmodSync(server.folder, 0o755);
    server.primary = join(server.folder, 'one');
    server.folders = [server.primary];
    process.on('exit', () => server.folders.forEach((folder) => spawnSync(script, ['stop', folder])));
    await run('start', server.primary);
    if (withStandby) await server.addStandby(join(server.folder, 'two'));
    return server;
  }

  async addStandby(folder) {
    this.standby = folder;
    if (!this.folders.includes(folder)) this.folders.push(folder);
    await run('standby', folder, this.primary);
    // From here on a commit waits for the standby, and what was committed before is on it, too.
    while (this.query('select sync_state from pg_stat_replication') !== 'sync') await sleep(50);
    this.query('select txid_current()');
  }

  get connection() {
    return `host=${this.folders.join(',')} user=postgres dbname=postgres`;
  }

  /// Configuration of a `stele` over this database.
  config(more = '') {
    return `secrets.key = ${key}\nstorage.engine = postgres\nstorage_postgres.connection = ${this.connection}\n${more}`;
  }

  async restart() {
    await run('restart', this.primary);
  }

  async kill() {
    await run('kill', this.primary);
  }

  async stopPrimary() {
    await run('stop', this.primary);
  }

  async startPrimary() {
    await run('start', this.primary);
  }

  /// kill -9 of the primary; the standby takes its place, and a new standby the standby's.
  async failOver() {
    await this.kill();
    await run('promote', this.standby);
    const dead = this.primary;
    this.primary = this.standby;
    rmSync(dead, { recursive: true, force: true });
    await this.addStandby(dead);
  }

  query(sql) {
    const done = spawnSync('psql', ['-h', this.primary, '-U', 'postgres', '-qAt', '-c', sql], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${sql}: ${done.stderr}`);
    return done.stdout.trim();
  }

  async end() {
    for (const folder of this.folders) spawnSync(script, ['stop', folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
