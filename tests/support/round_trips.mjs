// Exports and imports of a server, one after another, each of which must end well.
import assert from 'node:assert/strict';

export class RoundTrips {
  #count = 0;

  constructor(server) {
    this.server = server;
  }

  async #ended(path, settings) {
    const job = await this.server.admin('POST', `${path}&schedule=SYNCHRONOUS`, settings);
    assert.equal(job.state, 'FINISHED', `${path}: ${job.log_entries.map(({ message }) => message).join('; ')}`);
    return job;
  }

  /// Answers what finds the archive in the primary vault of the server.
  async export(path, settings = {}) {
    const place = `group=trips&artifact=trip${++this.#count}&version=1`;
    const job = await this.#ended(`${path}/export?${place}`, settings);
    assert.equal(job.complete, true);
    return place;
  }

  async bytes(place) {
    const { _doc } = await this.server.admin('GET', `/vaults/primary/archives/lookup?${place}`);
    const reply = await this.server.request('GET', `/vaults/primary/archives/${_doc}/download`, { token: this.server.adminToken });
    assert.equal(reply.status, 200, reply.text);
    return reply.bytes;
  }

  async exported(path, settings) {
    return this.bytes(await this.export(path, settings));
  }

  /// Answers the job.
  import(path, place, settings = {}) {
    return this.#ended(`${path}/import?${place}`, settings);
  }

  /// Brings an archive of another server into the primary vault.
  async upload(bytes) {
    this.server.adminToken ??= await this.server.login();
    const reply = await this.server.request('POST', '/vaults/primary/archives',
      { body: bytes, token: this.server.adminToken, headers: { 'Content-Type': 'application/zip' } });
    assert.equal(reply.status, 200, reply.text);
  }
}
