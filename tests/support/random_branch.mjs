// Content of a branch, made at random by what clients may ask for: definitions, deep folders, cycles, translations,
// attachments, features, lists, rights, versions and deletions.

const kLocales = ['de', 'fr_FR', 'pl', 'ja_JP'];
const kTypes = ['text/plain', 'image/png', 'application/json', 'application/octet-stream'];
const kNames = ['default', 'thumb.small', 'ünï code', 'a+b', 'Ω', '...'];
const kRoles = ['consumer', 'contributor', 'editor', 'manager'];

export class RandomBranch {
  /// Of a server (`SteleServer`), at a path; `principals` are `domain/id` of those who may be granted something.
  constructor(server, path, random, principals = []) {
    Object.assign(this, { server, path, random, principals, nodes: [], folders: [], types: ['n:node'], counter: 0 });
  }

  ask(method, path, body) {
    return this.server.admin(method, this.path + path, body);
  }

  /// The nodes that are there: others go with what they lie in.
  async present() {
    const { rows } = await this.ask('POST', '/nodes/query?limit=-1', { _doc: { $in: this.nodes } });
    const left = new Set(rows.map(({ _doc }) => _doc));
    this.nodes = this.nodes.filter((id) => left.has(id));
    return this.nodes;
  }

  /// A fork begins with what the branch has.
  forkedAt(path) {
    return Object.assign(new RandomBranch(this.server, path, this.random, this.principals),
      { nodes: [...this.nodes], folders: [...this.folders], types: [...this.types], counter: this.counter + 1000, hasDefinitions: this.hasDefinitions });
  }

  async fill(steps) {
    if (!this.hasDefinitions) await this.#define();
    const moves = [this.#makeNode, this.#makeNode, this.#makeFolder, this.#associate, this.#associate, this.#translate, this.#attach, this.#giveFeature,
                   this.#makeList, this.#grant, this.#change, this.#remove, this.#relate, this.#tag, this.#comment, this.#lock, this.#nameAll,
                   this.#place, this.#place, this.#rename, this.#copy, this.#restore, this.#mount];
    for (let i = 0; i < steps; ++i) await this.random.pick(moves).call(this);
  }

  /// What the rules of content may refuse, by circles and names that are taken.
  async #attempt(method, path, body) {
    const reply = await this.server.request(method, this.path + path, { body, token: this.server.adminToken });
    if (![200, 400, 409].includes(reply.status)) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.status === 200 ? reply.json : undefined;
  }

  async #define() {
    this.hasDefinitions = true;
    const define = (fields) => this.ask('POST', '/nodes', fields);
    await define({ _type: 'd:feature', _qname: 'my:rated', title: this.random.text(), type: 'object' });
    await define({ _type: 'd:association', _qname: 'my:near', type: 'object', properties: { distance: { type: 'number' } } });
    // Made before what it extends, and in a circle of references.
    await define({ _type: 'd:type', _qname: 'my:article', _parent: 'my:base', type: 'object', mandatoryFeatures: this.random.chance(0.5) ? { 'my:rated': { stars: 3 } } : {},
      properties: { author: { type: 'object', _relator: { associationType: 'my:by' } }, sources: { type: 'array', items: { type: 'object', _relator: { associationType: 'my:source' } } } } });
    await define({ _type: 'd:type', _qname: 'my:base', _parent: 'n:node', type: 'object', title: this.random.text(), properties: { weight: { type: 'number' }, words: { type: 'array', items: { type: 'string' } } } });
    this.types.push('my:base', 'my:article');
    const form = await define({ _type: 'n:form', title: 'form', fields: { weight: { label: this.random.word() } } });
    const { _doc } = await this.ask('GET', '/definitions/my:article');
    await this.ask('POST', `/nodes/${_doc}/associate?node=${form._doc}&type=a:has_form`, { 'form-key': 'edit' });
  }

  #fields() {
    const { random } = this;
    return { title: `${random.text()} ${++this.counter}`, ...(random.chance(0.5) ? { weight: random.below(100), words: ['x', random.word()] } : {}), ...random.members('more') };
  }

  async #add(reply) {
    this.nodes.push(reply._doc);
    return reply._doc;
  }

  async #makeNode() {
    const { random } = this;
    const fields = { ...this.#fields(), _type: random.pick(this.types) };
    if (random.chance(0.3)) fields._qname = `my:named${this.counter}`;
    const place = random.chance(0.5) && this.folders.length > 0 ? `?parentFolderPath=${encodeURIComponent(random.pick(this.folders))}` : '';
    await this.#add(await this.ask('POST', `/nodes${place}`, fields));
  }

  async #makeFolder() {
    const around = this.folders.length > 0 && this.random.chance(0.8) ? this.random.pick(this.folders) : '';
    const path = `${around}/folder${++this.counter}`;
    await this.#add(await this.ask('POST', '/nodes', { ...this.#fields(), _parentFolderPath: path }));
    this.folders.push(path);
  }

  #node() {
    return this.nodes.length > 0 ? this.random.pick(this.nodes) : undefined;
  }

  /// Of any two nodes, so circles come about; of folders only downwards.
  async #associate() {
    const [one, other] = [this.#node(), this.#node()];
    if (!one || !other) return;
    const type = this.random.pick(['a:linked', 'my:near']);
    const direction = this.random.chance(0.2) ? '&directionality=UNDIRECTED' : '';
    await this.ask('POST', `/nodes/${one}/associate?node=${other}&type=${type}${direction}`, { distance: this.random.below(9), ...this.random.members('why', 1) });
    if (one !== other && this.random.chance(0.3)) await this.ask('POST', `/nodes/${other}/associate?node=${one}&type=${type}`, {});
  }

  /// Members of others, and of several; deep.
  async #place() {
    const [one, other] = [this.#node(), this.#node()];
    if (!one || one === other) return;
    if (this.random.chance(0.3)) await this.#attempt('POST', `/nodes/${one}/move?targetNodeId=${other}`, {});
    else await this.#attempt('POST', `/nodes/${one}/associate?node=${other}&type=${this.random.pick(['a:child', 'a:child', 'a:owned'])}`, {});
  }

  async #rename() {
    const node = this.#node();
    // Where properties stand for nothing any more, they may come to name what is gone.
    if (!node || (await this.ask('GET', `/nodes/${node}`)).sources) return;
    await this.#attempt('POST', `/nodes/${node}/change_qname?qname=my:renamed${++this.counter}`, {});
    await this.#attempt('POST', `/nodes/${node}/change_type?type=${this.random.pick(this.types)}`, {});
    // An import gives what lacks it the features that its type asks for.
    await this.ask('POST', `/nodes/${node}/features/my:rated`, { stars: 1 });
  }

  async #copy() {
    const [one, other] = [this.#node(), this.#node()];
    if (one && one !== other) await this.#attempt('POST', `/nodes/${one}/copy?targetNodeId=${other}`, {});
  }

  async #restore() {
    // One that names what is gone, too, would lead nowhere.
    const { rows } = await this.ask('POST', '/deletions/query?limit=-1', { author: { $exists: false }, sources: { $exists: false } });
    if (rows.length > 0) await this.#attempt('POST', `/deletions/${this.random.pick(rows)._doc}/restore`, {});
  }

  async #mount() {
    const node = this.#node();
    if (node && this.random.chance(0.3)) await this.#attempt('POST', `/nodes/${node}/mount/mount${++this.counter}`, {});
  }

  async #translate() {
    const node = this.#node();
    if (!node) return;
    const query = `locale=${this.random.pick(kLocales)}&edition=${++this.counter}`;
    const reply = await this.ask('POST', `/nodes/${node}/i18n?${query}`, this.#fields());
    if (!this.nodes.includes(reply._doc)) this.translations = [...(this.translations ?? []), reply._doc];
  }

  async #attach() {
    const node = this.random.chance(0.3) && this.translations ? this.random.pick(this.translations) : this.#node();
    if (!node) return;
    const id = encodeURIComponent(this.random.pick(kNames));
    const fileName = encodeURIComponent(this.random.pick(['a.txt', 'no extension', 'ümläut.png', 'x.tar.gz', '.hidden']));
    const reply = await this.server.request('POST', `${this.path}/nodes/${node}/attachments/${id}?filename=${fileName}`,
      { body: this.random.bytes(this.random.below(3000)), token: this.server.adminToken, headers: { 'Content-Type': this.random.pick(kTypes) } });
    if (reply.status !== 200) throw new Error(`attachment ${id}: ${reply.status} ${reply.text}`);
  }

  async #giveFeature() {
    const node = this.#node();
    if (node) await this.ask('POST', `/nodes/${node}/features/my:rated`, { stars: this.random.below(6), by: node, ...this.random.members('f', 1) });
  }

  async #makeList() {
    const key = `list${++this.counter}`;
    await this.ask('POST', `/lists/${key}?type=${this.random.pick(this.types)}`);
    for (let i = this.random.below(4); i > 0; --i) await this.#add(await this.ask('POST', `/lists/${key}/items`, this.#fields()));
  }

  async #grant() {
    const node = this.#node();
    if (!node || this.principals.length === 0) return;
    await this.ask('POST', `/nodes/${node}/authorities/${this.random.pick(kRoles)}/grant?id=${this.random.pick(this.principals)}`, {});
  }

  async #change() {
    const node = this.#node();
    if (node) await this.ask('PUT', `/nodes/${node}`, { ...(await this.ask('GET', `/nodes/${node}`)), ...this.#fields() });
  }

  async #remove() {
    const node = this.random.chance(0.5) ? this.#node() : undefined;
    if (!node) return;
    await this.ask('DELETE', `/nodes/${node}`);
    await this.present();
    this.translations = undefined;
    this.folders = [];
  }

  /// Properties that stand for associations.
  async #relate() {
    const [author, source, other] = [this.#node(), this.#node(), this.#node()];
    if (!author) return;
    await this.#add(await this.ask('POST', '/nodes', { ...this.#fields(), _type: 'my:article', author: { id: author }, sources: source === other ? [{ id: source }] : [{ id: source }, { id: other }] }));
  }

  async #tag() {
    const node = this.#node();
    if (node) await this.ask('POST', `/nodes/${node}/features/f:taggable`, { tags: this.random.some(['red', 'green', 'blå']) });
  }

  async #comment() {
    const node = this.#node();
    if (!node) return;
    const comment = await this.ask('POST', '/nodes', { ...this.#fields(), _type: 'n:comment' });
    await this.ask('POST', `/nodes/${node}/associate?node=${comment._doc}&type=a:has_comment`, {});
  }

  /// A lock is the branch's own and stays there.
  async #lock() {
    if (this.random.chance(0.7)) return;
    const { _doc } = await this.ask('POST', '/nodes', this.#fields());
    await this.ask('POST', `/nodes/${_doc}/lock`);
  }

  /// Two nodes that name each other, where no definition says that this stands for an association. Nothing removes them:
  /// links to what is gone do not come over.
  async #nameAll() {
    const one = await this.ask('POST', '/nodes', { ...this.#fields(), _type: this.random.pick(this.types) });
    const { _doc: branch, platformId, repositoryId } = await this.ask('GET', '');
    const link = async (id) => {
      const { _doc, _type, _qname } = await this.ask('GET', `/nodes/${id}`);
      return { id: _doc, typeQName: _type, qname: _qname, ref: `node://${platformId}/${repositoryId}/${branch}/${_doc}` };
    };
    const other = await this.ask('POST', '/nodes', { ...this.#fields(), names: [await link(one._doc), { deep: { id: one._doc, typeQName: one._type ?? 'n:node' } }] });
    await this.ask('PUT', `/nodes/${one._doc}`, { ...(await this.ask('GET', `/nodes/${one._doc}`)), named: await link(other._doc) });
  }
}
