// What a browser adds to the driver: cookies that scripts can read, kept by a clock that tests move.
export class BrowserCookies {
  now = 0;
  #cookies = new Map();

  /// Takes a Set-Cookie line, or a script's assignment.
  store(line) {
    const [pair, ...attributes] = line.split(';').map((part) => part.trim());
    const cut = pair.indexOf('=');
    const name = pair.slice(0, cut);
    const cookie = { value: pair.slice(cut + 1), isHidden: false, end: Infinity, path: undefined };
    for (const attribute of attributes) {
      const [key, value] = attribute.split('=');
      if (/^httponly$/i.test(key)) cookie.isHidden = true;
      if (/^path$/i.test(key)) cookie.path = value;
      if (/^expires$/i.test(key) && new Date(value).getTime() < 100_000_000) cookie.end = -Infinity;
      if (/^max-age$/i.test(key)) cookie.end = this.now + Number(value);
    }
    this.#cookies.set(name, cookie);
  }

  find(name) {
    const cookie = this.#cookies.get(name);
    return cookie && this.now < cookie.end ? cookie : undefined;
  }

  text(isForScript) {
    return [...this.#cookies.entries()]
      .filter(([name, cookie]) => this.find(name) && !(isForScript && cookie.isHidden))
      .map(([name, cookie]) => `${name}=${cookie.value}`).join('; ');
  }

  /// Puts the cookies on a request of the driver's second transport and keeps those of its reply.
  watch(xhr) {
    const { send } = xhr;
    xhr.send = (body) => {
      const text = this.text(false);
      if (text) xhr.setRequestHeader('Cookie', text);
      return send.call(xhr, body);
    };
    xhr.addEventListener('readystatechange', () => {
      if (xhr.readyState !== xhr.HEADERS_RECEIVED) return;
      for (const line of xhr.getResponseHeader('Set-Cookie') ?? []) this.store(line);
    });
  }

  /// Runs `work` with the cookies visible to scripts, as the driver looks for them.
  async during(work) {
    const jar = this;
    globalThis.document = {
      get cookie() { return jar.text(true); },
      set cookie(line) { jar.store(line); },
    };
    try {
      return await work();
    } finally {
      delete globalThis.document;
    }
  }
}
