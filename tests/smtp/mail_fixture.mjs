// A Stele with an application, and short ways to its providers and emails.
import { SteleServer } from '../support/stele_server.mjs';

/// `settings` are those of the plugin, without its name.
export async function startStele(settings = {}, options = {}) {
  // The mail servers of the tests are here.
  const lines = Object.entries({ blocked_networks: '', ...settings }).filter(([, value]) => value !== undefined).map(([name, value]) => `email_providers.${name} = ${value}\n`);
  const stele = await SteleServer.start({ ...options, config: lines.join('') + (options.config ?? '') });
  const application = await stele.admin('POST', '/applications', { title: 'Mailing' });
  return new Fixture(stele, `/applications/${application._doc}`);
}

class Fixture {
  constructor(stele, application) {
    this.stele = stele;
    this.application = application;
  }

  /// A provider at a local server; answers its path.
  async provider(port, fields = {}) {
    const body = { host: '127.0.0.1', port, ...fields };
    const made = await this.stele.admin('POST', `${this.application}/emailproviders`, body);
    return `${this.application}/emailproviders/${made._doc}`;
  }

  /// A stored email; answers its id.
  async email(fields = {}) {
    const body = { from: 'from@example.org', to: 'to@example.org', subject: 'Hello', body: 'Hi there', ...fields };
    return (await this.stele.admin('POST', `${this.application}/emails`, body))._doc;
  }

  readEmail(id) { return this.stele.admin('GET', `${this.application}/emails/${id}`); }

  async ask(method, path, body, token) {
    this.stele.adminToken ??= await this.stele.login();
    return this.stele.request(method, path, { body, token: token ?? this.stele.adminToken });
  }

  /// Sends a stored email; the whole reply, whatever it is.
  send(provider, email, { model, resend, token } = {}) {
    const again = resend === undefined ? '' : `&resend=${resend}`;
    return this.ask('POST', `${provider}/send?email=${email}${again}`, model, token);
  }

  async test(provider, from = 'from@example.org', to = 'to@example.org', method = 'PUT') {
    const query = new URLSearchParams({ from, to });
    return this.ask(method, `${provider}/test?${query}`);
  }

  end() { return this.stele.end(); }
}
