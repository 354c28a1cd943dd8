// Is there one order of all operations that explains what each of them saw, and that keeps those in
// place which did not overlap in time?
//
// An operation is { begin, end, read: { register: value }, written: { register: value } }. Every
// value is written once, and whoever writes a register has read it in the same operation: so the
// values of a register form a chain, and every dependency is known.
export class History {
  operations = [];

  add(operation) {
    this.operations.push({ read: {}, written: {}, ...operation });
  }

  /// The first contradiction; undefined when there is an order.
  contradiction() {
    const writerOf = new Map();
    const overwriterOf = new Map();
    for (const operation of this.operations) {
      for (const [register, value] of Object.entries(operation.written)) {
        writerOf.set(`${register}=${value}`, operation);
        const before = `${register}=${operation.read[register]}`;
        if (overwriterOf.has(before)) return `lost update of ${before}`;
        overwriterOf.set(before, operation);
      }
    }
    const followers = new Map(this.operations.map((operation) => [operation, new Set()]));
    const first = new Set();
    for (const operation of this.operations) {
      for (const [register, value] of Object.entries(operation.read)) {
        const version = `${register}=${value}`;
        const writer = writerOf.get(version);
        if (!writer) first.add(version);
        else if (writer !== operation) followers.get(writer).add(operation);
        const overwriter = overwriterOf.get(version);
        if (overwriter && overwriter !== operation) followers.get(operation).add(overwriter);
      }
    }
    const registers = [...first].map((version) => version.split('=')[0]);
    const twice = registers.find((register, i) => registers.indexOf(register) !== i);
    if (twice) return `nobody wrote some of ${[...first].filter((version) => version.startsWith(`${twice}=`))}`;
    this.#addTime(followers);
    return hasCycle(followers) ? 'no order explains what was read' : undefined;
  }

  /// A chain of moments: whoever has ended leads to the next moment, which leads to who begins later.
  #addTime(followers) {
    const events = this.operations.flatMap((operation) => [
      { time: operation.begin, operation },
      { time: operation.end, operation, isEnd: true },
    ]);
    events.sort((one, other) => one.time - other.time || Boolean(one.isEnd) - Boolean(other.isEnd));
    let moment = {};
    followers.set(moment, new Set());
    for (const { operation, isEnd } of events) {
      if (!isEnd) {
        followers.get(moment).add(operation);
        continue;
      }
      const next = {};
      followers.set(next, new Set());
      followers.get(moment).add(next);
      followers.get(operation).add(next);
      moment = next;
    }
  }
}

function hasCycle(followers) {
  const before = new Map([...followers.keys()].map((node) => [node, 0]));
  for (const next of followers.values()) for (const node of next) before.set(node, before.get(node) + 1);
  const free = [...before].filter(([, count]) => count === 0).map(([node]) => node);
  let placed = 0;
  while (free.length > 0) {
    const node = free.pop();
    ++placed;
    for (const next of followers.get(node)) {
      before.set(next, before.get(next) - 1);
      if (before.get(next) === 0) free.push(next);
    }
  }
  return placed !== followers.size;
}

/// A register with two states and one writer, who writes one thing after another: which writes may a
/// reader have seen? `writes` is in order; an operation is { begin, end, value }. Answers the numbers
/// of the candidates, -1 for the state before the first.
export function candidates(writes, before, operation) {
  let lowest = -1;
  while (lowest + 1 < writes.length && writes[lowest + 1].end < operation.begin) ++lowest;
  let highest = lowest;
  while (highest + 1 < writes.length && writes[highest + 1].begin < operation.end) ++highest;
  const found = [];
  for (let i = lowest; i <= highest; ++i) {
    if ((i < 0 ? before : writes[i].value) === operation.value) found.push(i);
  }
  return found;
}

/// Adds what happened to such a register to a history, as far as it is clear who saw what; answers
/// the first contradiction by itself.
export function addSwitch(history, register, before, writes, reads) {
  writes.forEach((write, i) => history.add({ ...write, read: { [register]: i - 1 }, written: { [register]: i } }));
  for (const read of reads) {
    const seen = candidates(writes, before, read);
    if (seen.length === 0) return `${register} was ${read.value} when it could not be: ${JSON.stringify(read)}`;
    if (seen.length === 1) history.add({ ...read, read: { ...read.read, [register]: seen[0] } });
  }
  return undefined;
}
