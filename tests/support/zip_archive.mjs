// Zips for tests, honest ones and others.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/// Little-endian numbers, each `[size, value]`.
export const numbers = (...pairs) => Buffer.concat(pairs.map(([size, value]) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
}));

/// An archive of files, each `{ name, data }` and what its heads say otherwise.
export function zip(files) {
  const locals = [];
  const heads = [];
  let offset = 0;
  for (const file of files) {
    const data = Buffer.from(file.data ?? '');
    const packed = file.packed ?? (file.method === 0 ? data : deflateRawSync(data));
    const name = Buffer.from(file.name);
    const { method = 8, flags = 0, checksum = crc32(data), size = data.length, extra = Buffer.alloc(0) } = file;
    const common = numbers([2, 20], [2, flags], [2, method], [4, 0], [4, checksum], [4, file.packedSize ?? packed.length], [4, size], [2, name.length], [2, extra.length]);
    heads.push(Buffer.from('PK\x01\x02'), numbers([2, 20]), common, numbers([2, 0], [2, 0], [2, 0], [4, file.attributes ?? 0], [4, file.offset ?? offset]), name, extra);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, extra, packed]);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(heads);
  const end = Buffer.concat([Buffer.from('PK\x05\x06'), numbers([4, 0], [2, files.length], [2, files.length], [4, directory.length], [4, offset], [2, 0])]);
  return Buffer.concat([...locals, directory, end]);
}

/// The files of a zip without ZIP64, by path, in the order of its directory.
export function unzip(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06');
  const files = new Map();
  for (let left = bytes.readUInt16LE(end + 10), at = bytes.readUInt32LE(end + 16); left > 0; left -= 1) {
    const [packedSize, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(begin, begin + packedSize);
    const data = bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed;
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    if (data.length !== size || crc32(data) !== bytes.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`);
    files.set(name, data);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

/// The zip of an archive: its manifest, unless that is null, and files by path.
export const archiveOf = (manifest, files = {}) => zip([
  ...(manifest === null ? [] : [{ name: 'manifest.json', data: typeof manifest === 'string' ? manifest : JSON.stringify(manifest) }]),
  ...Object.entries(files).map(([name, data]) => ({ name, data })),
]);

/// Uploads an archive into a vault by `ask(method, path, body)`, which answers the JSON of a call that must succeed;
/// answers its id.
export async function makeArchive(ask, vault, { artifact = 'walked', title = 'walk' } = {}) {
  return (await ask('POST', `${vault}/archives`, archiveOf({ group: 'walk', artifact, version: '1', title })))._doc;
}

/// A form with one part for each `{ name, fileName, type, data }`; without a file name it is a parameter. Answers the
/// body and its content type.
export function formOf(parts) {
  const boundary = 'a-boundary-of-the-tests';
  const pieces = parts.map(({ name, fileName, type, data }) => Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n`
      + `${type ? `Content-Type: ${type}\r\n` : ''}\r\n`),
    Buffer.from(data), Buffer.from('\r\n')]));
  return { body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]), type: `multipart/form-data; boundary=${boundary}` };
}
