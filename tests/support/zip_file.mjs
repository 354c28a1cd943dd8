// A zip on disk, of any size: its directory one entry after the other, and what single entries hold.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const kEndBytes = 22;
const kLocatorBytes = 20;
const kHeadBytes = 46;
const kPiece = 4 << 20;
const kInZip64 = 0xffffffff;

export class ZipFile {
  constructor(path) {
    this.file = openSync(path, 'r');
  }

  close() {
    closeSync(this.file);
  }

  #read(at, size) {
    const bytes = Buffer.alloc(size);
    let done = 0;
    while (done < size) {
      const read = readSync(this.file, bytes, done, size - done, at + done);
      if (read === 0) return bytes.subarray(0, done);
      done += read;
    }
    return bytes;
  }

  /// Where the directory is, and how many entries it has; zips with a comment are not read.
  #directory() {
    const { size } = fstatSync(this.file);
    const end = this.#read(size - kEndBytes, kEndBytes);
    if (end.readUInt32LE(0) !== 0x06054b50) throw new Error('no end of a zip');
    if (end.readUInt32LE(16) !== kInZip64 && end.readUInt16LE(10) !== 0xffff) return { at: end.readUInt32LE(16), count: end.readUInt16LE(10) };
    const locator = this.#read(size - kEndBytes - kLocatorBytes, kLocatorBytes);
    const large = this.#read(Number(locator.readBigUInt64LE(8)), 56);
    return { at: Number(large.readBigUInt64LE(48)), count: Number(large.readBigUInt64LE(32)) };
  }

  /// `{ name, at, method, packed }` in the order of the directory.
  * entries() {
    const { at, count } = this.#directory();
    let [bytes, from] = [this.#read(at, kPiece), at];
    let place = 0;
    for (let left = count; left > 0; --left) {
      if (place + kHeadBytes + (128 << 10) > bytes.length) {
        from += place;
        bytes = this.#read(from, kPiece);
        place = 0;
      }
      const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => bytes.readUInt16LE(place + field));
      const entry = { name: bytes.toString('utf8', place + kHeadBytes, place + kHeadBytes + nameBytes), method: bytes.readUInt16LE(place + 10),
                      size: bytes.readUInt32LE(place + 24), packed: bytes.readUInt32LE(place + 20), at: bytes.readUInt32LE(place + 42) };
      this.#widen(entry, bytes.subarray(place + kHeadBytes + nameBytes, place + kHeadBytes + nameBytes + extraBytes));
      yield entry;
      place += kHeadBytes + nameBytes + extraBytes + commentBytes;
    }
  }

  /// What has no room in 32 bits stands behind the name, in this order.
  #widen(entry, extra) {
    for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
      if (extra.readUInt16LE(at) !== 1) continue;
      let place = at + 4;
      for (const name of ['size', 'packed', 'at']) {
        if (entry[name] !== kInZip64) continue;
        entry[name] = Number(extra.readBigUInt64LE(place));
        place += 8;
      }
    }
  }

  contentOf({ at, method, packed }) {
    const head = this.#read(at, 30);
    const bytes = this.#read(at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), packed);
    return method === 8 ? inflateRawSync(bytes) : bytes;
  }
}
