// Bytes as they are, for requests that no HTTP library would send.
import net from 'node:net';

/// Sends pieces one after another and answers everything that came back until the server closes,
/// a whole reply has arrived, or `patience` is over (then `timedOut` is set).
export function rawExchange(port, pieces, { patience = 20_000, keepOpen = false } = {}) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    let timer;
    const finish = (timedOut) => {
      clearTimeout(timer);
      socket.destroy();
      const status = Number(text.match(/^HTTP\/1\.[01] (\d{3})/)?.[1] ?? 0);
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      let json;
      try { json = JSON.parse(body); } catch { json = undefined; }
      resolve({ status, text, json, timedOut });
    };
    timer = setTimeout(() => finish(true), patience);
    socket.on('error', () => {});
    socket.on('close', () => finish(false));
    socket.on('data', (data) => {
      text += data.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = Number(text.match(/content-length: (\d+)/i)?.[1] ?? NaN);
      if (!keepOpen && head >= 0 && text.length >= head + 4 + length) finish(false);
    });
    (async () => {
      for (const piece of [].concat(pieces)) {
        if (!socket.writable) return;
        await new Promise((done) => socket.write(piece, 'latin1', () => done()));
      }
    })();
  });
}
