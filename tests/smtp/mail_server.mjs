// SMTP servers for the tests: a real one that keeps what it gets, and one whose lines are scripted.
import { createRequire } from 'node:module';
import net from 'node:net';

// Installed with the drivers (tests/clients/package.json).
const require = createRequire(new URL('../clients/package.json', import.meta.url));
const { SMTPServer } = require('smtp-server');
const { simpleParser } = require('mailparser');

export const account = { username: 'ann@example.org', password: 'sw0rdfish-of-ann' };

/// A server of the package smtp-server. `mails` are what arrived: { raw, parsed, envelope, secure, user }.
export class MailServer {
  static async start(options = {}) {
    const server = new MailServer();
    server.mails = [];
    server.smtp = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      logger: false,
      onAuth({ username, password }, session, done) {
        const fits = username === account.username && password === account.password;
        done(fits ? null : new Error(`Invalid login of ${username} with ${password}`), { user: username });
      },
      onData(stream, session, done) {
        const pieces = [];
        stream.on('data', (piece) => pieces.push(piece));
        stream.on('end', async () => {
          const raw = Buffer.concat(pieces).toString('latin1');
          server.mails.push({
            raw,
            parsed: await simpleParser(Buffer.concat(pieces)),
            from: session.envelope.mailFrom.address,
            to: session.envelope.rcptTo.map((one) => one.address),
            secure: session.secure,
            user: session.user,
          });
          done(null, 'queued as 4711');
        });
      },
      ...options,
    });
    server.smtp.on('error', () => {});
    await new Promise((resolve) => server.smtp.listen(0, '127.0.0.1', resolve));
    server.port = server.smtp.server.address().port;
    // A test that fails before it ends its servers shall end all the same.
    server.smtp.server.unref();
    return server;
  }

  /// The one mail that arrived since the last call.
  take() {
    if (this.mails.length !== 1) throw new Error(`${this.mails.length} mails arrived, not 1`);
    return this.mails.pop();
  }

  end() { return new Promise((resolve) => this.smtp.close(resolve)); }
}

/// A server that says what `talk(line, socket)` answers to each line of the client; `undefined` is silence.
/// The first call has the line `null`: the greeting. `lines` are what the client said.
export class ScriptedServer {
  static async start(talk) {
    const scripted = new ScriptedServer();
    scripted.lines = [];
    scripted.connections = 0;
    scripted.sockets = new Set();
    scripted.server = net.createServer((socket) => {
      scripted.connections += 1;
      scripted.sockets.add(socket);
      socket.unref();
      socket.on('error', () => {});
      socket.on('close', () => scripted.sockets.delete(socket));
      const say = (line) => {
        const answer = talk(line, socket);
        if (answer !== undefined && !socket.destroyed) socket.write(answer + '\r\n');
      };
      let text = '';
      socket.on('data', (piece) => {
        text += piece.toString('latin1');
        for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
          const line = text.slice(0, end);
          text = text.slice(end + 2);
          scripted.lines.push(line);
          say(line);
        }
      });
      say(null);
    });
    await new Promise((resolve) => scripted.server.listen(0, '127.0.0.1', resolve));
    scripted.port = scripted.server.address().port;
    scripted.server.unref();
    return scripted;
  }

  end() {
    this.sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/// A `talk` that behaves well but for the commands in `special`.
export function politeTalk(special = {}) {
  let hasContent = false;
  return (line, socket) => {
    const command = line === null ? 'GREETING' : hasContent ? (line === '.' ? 'END' : undefined) : line.split(' ')[0];
    if (command === undefined) return special.CONTENT?.(line, socket);
    if (command === 'END') hasContent = false;
    if (command in special) {
      const answer = special[command](line, socket);
      if (command === 'DATA' && answer?.startsWith('354')) hasContent = true;
      return answer;
    }
    switch (command) {
      case 'GREETING': return '220 mail.example ready';
      case 'EHLO': return '250-mail.example\r\n250 8BITMIME';
      case 'DATA': hasContent = true; return '354 go on';
      case 'QUIT': socket.end('221 bye\r\n'); return undefined;
      default: return '250 ok';
    }
  };
}
