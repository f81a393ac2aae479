// A file of a table (format 2, docs/tables.md), read by Range requests; nothing is answered from bytes that are not sound.
import './vendor/fzstd.js'; // puts `fzstd` into the global scope

const { decompress } = globalThis.fzstd;

const FORMAT = '2';
const SEAL_BYTES = 512;
const ROW_BYTES = 16; // offset, size and CRC-32 of a chunk
const KINDS = { '|u1': Uint8Array, '|i1': Int8Array, '<u2': Uint16Array, '<u4': Uint32Array };

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte >>> 0;
});

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

async function sha256(bytes) {
  if (!globalThis.crypto?.subtle) throw Error('This page must come from https or from this machine, or tables cannot be checked.');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes put back in order that were stored plane by plane. */
function unshuffled(bytes, width) {
  const items = bytes.length / width, found = new Uint8Array(bytes.length);
  for (let plane = 0; plane < width; plane++) for (let item = 0; item < items; item++) found[item * width + plane] = bytes[plane * items + item];
  return found;
}

export class TableFile {
  #chunks = new Map(); // promises, so that a chunk is asked for once

  /** The file at an address, with its seal and its index checked. */
  static async open(url, name) {
    const file = new TableFile();
    [file.url, file.name] = [url, name];
    const seal = new TextDecoder().decode(await file.#bytes(0, SEAL_BYTES));
    const words = Object.fromEntries(seal.split('\n').map((line) => line.trim().split(' ')).filter((line) => line.length === 2));
    if (!seal.startsWith('tbgen table\n') || words.material !== name) throw file.#damaged('it has no seal of its own');
    if (words.format !== FORMAT) throw Error(`The table ${name} has format ${words.format}; this page reads format ${FORMAT}.`);
    const index = await file.#bytes(Number(words.index), Number(words.length));
    if ((await sha256(index)) !== words['sha256-of-index']) throw file.#damaged('its index is not what was written');
    file.#readIndex(index);
    return file;
  }

  #readIndex(index) {
    const end = index.indexOf(10), facts = JSON.parse(new TextDecoder().decode(index.subarray(0, end)));
    let at = end + 1;
    this.sets = {};
    for (const [name, [kind, items, chunkItems, shuffled, chunks]] of Object.entries(facts.datasets)) {
      const rows = new DataView(index.buffer, index.byteOffset + at, ROW_BYTES * chunks);
      this.sets[name] = { Kind: KINDS[kind], items, chunkItems, shuffled, rows };
      at += ROW_BYTES * chunks;
    }
    this.axes = JSON.parse(facts.attributes.axes);
  }

  /** One item of a dataset. */
  async item(name, place) {
    const { chunkItems } = this.sets[name], number = Math.floor(place / chunkItems);
    return (await this.#chunk(name, number))[place - number * chunkItems];
  }

  /** Neighbouring items, which may lie in two chunks. */
  items(name, from, to) {
    return Promise.all(Array.from({ length: to - from }, (_, place) => this.item(name, from + place)));
  }

  /** A dataset of one chunk. */
  async column(name) { return (await this.#chunk(name, 0)).subarray(0, this.sets[name].items); }

  #chunk(name, number) {
    const key = `${name} ${number}`;
    let chunk = this.#chunks.get(key);
    if (!chunk) {
      chunk = this.#read(name, number);
      chunk.catch(() => this.#chunks.delete(key)); // another time it may come whole
      this.#chunks.set(key, chunk);
    }
    return chunk;
  }

  async #read(name, number) {
    const { Kind, chunkItems, shuffled, rows } = this.sets[name];
    const offset = Number(rows.getBigUint64(ROW_BYTES * number, true)), size = rows.getUint32(ROW_BYTES * number + 8, true);
    const packed = await this.#bytes(offset, offset + size);
    if (crc32(packed) !== rows.getUint32(ROW_BYTES * number + 12, true)) throw this.#damaged(`chunk ${number} of ${name} is not what was written`);
    let bytes = decompress(packed);
    if (bytes.length !== chunkItems * Kind.BYTES_PER_ELEMENT) throw this.#damaged(`chunk ${number} of ${name} has another size`);
    if (shuffled && Kind.BYTES_PER_ELEMENT > 1) bytes = unshuffled(bytes, Kind.BYTES_PER_ELEMENT);
    return new Kind(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  async #bytes(from, to) {
    let reply;
    try {
      reply = await fetch(this.url, { headers: { Range: `bytes=${from}-${to - 1}` } });
    } catch {
      throw Error(`The table ${this.name} cannot be fetched.`);
    }
    if (reply.status === 404) throw Error(`No table ${this.name} is here.`);
    if (reply.status === 200) {
      reply.body?.cancel();
      throw Error(`This host does not give files in part (Range), which tables need: ${this.name}.`);
    }
    if (reply.status !== 206) throw Error(`The host said ${reply.status} for the table ${this.name}.`);
    const range = reply.headers.get('content-range');
    const bytes = new Uint8Array(await reply.arrayBuffer().catch(() => new ArrayBuffer(0)));
    if (bytes.length !== to - from || (range !== null && !range.startsWith(`bytes ${from}-${to - 1}/`))) throw this.#damaged('a part of it came cut short');
    return bytes;
  }

  #damaged(why) { return Error(`Damaged table ${this.name}: ${why}.`); }
}
