// A certificate authority of our own, and certificates for mail servers, made by openssl.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Certificates {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'stele-certificates-'));
    this.caFile = join(this.folder, 'ca.pem');
    this.openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=Test authority',
                 '-keyout', join(this.folder, 'ca.key'), '-out', this.caFile);
  }

  openssl(...args) { execFileSync('openssl', args, { stdio: 'pipe' }); }

  /// Key and certificate for a server; `name` as openssl writes it: `IP:127.0.0.1`, `DNS:mail.example`.
  server(name) {
    const file = (ending) => join(this.folder, `server${ending}`);
    this.openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=Mail server',
                 '-keyout', file('.key'), '-out', file('.csr'));
    writeFileSync(file('.ext'), `subjectAltName=${name}\n`);
    this.openssl('x509', '-req', '-in', file('.csr'), '-CA', this.caFile, '-CAkey', join(this.folder, 'ca.key'),
                 '-CAcreateserial', '-days', '1', '-extfile', file('.ext'), '-out', file('.pem'));
    return { key: readFileSync(file('.key')), cert: readFileSync(file('.pem')) };
  }

  remove() { rmSync(this.folder, { recursive: true, force: true }); }
}
