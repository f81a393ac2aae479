// Solved tables as they are kept in the browser: their cells and the rows of their patterns in compressed parts, so that a value
// takes two of them.

const CHUNK = 1 << 16; // cells
const CACHE = 'tbgen-solved';
const MOST_PARTS = 64; // of a table that are kept unpacked; one of cells has 448 kB

/** The most bytes that solved tables take up in a browser. */
export const MOST_KEPT = 300e6;

/** A table as one blob: parts, and at last an index of them with what is said `about` the table. */
export async function pack({ entry, dtg, pattern, runs }, about) {
  const parts = [];
  let end = 0;
  async function add(...columns) {
    const part = await through(new Blob(columns), new CompressionStream('gzip'));
    parts.push(part);
    end += part.size;
    return [end - part.size, end];
  }
  const cells = entry.length;
  const index = { ...about, cells, chunks: [], runs: [] };
  for (let first = 0; first < cells; first += CHUNK) {
    const last = first + CHUNK;
    index.chunks.push(await add(entry.subarray(first, last), dtg.subarray(first, last), pattern.subarray(first, last)));
  }
  for (const run of runs) {
    const part = await add(run.rows, run.start);
    index.runs.push({ end: run.end, rows: run.rows.length, part });
  }
  const text = new Blob([JSON.stringify(index)]);
  return new Blob([...parts, text, new Uint32Array([text.size])]);
}

const through = (blob, stream) => new Response(blob.stream().pipeThrough(stream)).blob();

/** A packed table. */
export class Packed {
  static async open(blob) {
    const packed = new Packed();
    packed.blob = blob;
    const [size] = new Uint32Array(await blob.slice(-4).arrayBuffer());
    packed.index = JSON.parse(await blob.slice(-4 - size, -4).text());
    packed.unpacked = new Map(); // promises of parts by where they begin; the one used last is the last
    return packed;
  }

  /** The entry value and the distance of a cell, and what gives the rows of its pattern. */
  async cell(place) {
    const number = Math.floor(place / CHUNK);
    const { entry, dtg, pattern } = await this.#chunk(number);
    const at = place - number * CHUNK;
    return { entry: entry[at], dtg: dtg[at], rows: () => this.#rows(place, pattern[at]) };
  }

  /** All entry values and distances. */
  async values() {
    const { cells, chunks } = this.index;
    const entry = new Int8Array(cells);
    const dtg = new Uint16Array(cells);
    for (let number = 0; number < chunks.length; number++) {
      const chunk = await this.#chunk(number);
      entry.set(chunk.entry, number * CHUNK);
      dtg.set(chunk.dtg, number * CHUNK);
    }
    return { entry, dtg };
  }

  async #chunk(number) {
    const bytes = await this.#part(this.index.chunks[number]);
    const cells = bytes.byteLength / 7;
    return {
      entry: new Int8Array(bytes, 0, cells),
      dtg: new Uint16Array(bytes, cells, cells),
      pattern: new Uint32Array(bytes, 3 * cells, cells),
    };
  }

  /** The rows of a pattern: holder, code, outcome and plies of each (retro/patterns/packing.py). */
  async #rows(place, pattern) {
    const run = this.index.runs.find((each) => place < each.end);
    const bytes = await this.#part(run.part);
    const start = new Uint32Array(bytes, 8 * run.rows);
    const rows = new BigInt64Array(bytes, 8 * start[pattern], start[pattern + 1] - start[pattern]);
    return [...rows].map((row) => {
      const low = Number(row & 0xffffffffn);
      return [Number(row >> 32n), low >>> 24, (low << 8) >> 24, low & 0xffff];
    });
  }

  #part([from, to]) {
    const { unpacked } = this;
    const part = unpacked.get(from) ?? through(this.blob.slice(from, to), new DecompressionStream('gzip')).then((blob) => blob.arrayBuffer());
    unpacked.delete(from);
    unpacked.set(from, part);
    if (unpacked.size > MOST_PARTS) unpacked.delete(unpacked.keys().next().value);
    return part;
  }
}

// The browser's cache of solved tables; the oldest make room. Where it fails, tables last as long as the page.

/** Solved tables of one version of the solver. */
export class Kept {
  #here = new Map(); // blobs by name

  constructor(version) { this.version = version; }

  #address(name) { return new URL(`solved/${this.version}/${name}`, import.meta.url).href; }

  /** The names of tables that are kept. */
  async names() {
    try {
      const cache = await caches.open(CACHE);
      const kept = (await cache.keys()).map(({ url }) => url);
      const ours = this.#address('');
      await Promise.all(kept.filter((url) => !url.startsWith(ours)).map((url) => cache.delete(url)));
      return [...this.#here.keys(), ...kept.filter((url) => url.startsWith(ours)).map((url) => url.slice(ours.length))];
    } catch {
      return [...this.#here.keys()];
    }
  }

  async get(name) {
    if (this.#here.has(name)) return this.#here.get(name);
    const reply = await caches.match(this.#address(name), { cacheName: CACHE });
    return reply?.blob();
  }

  /** Have a table at hand as long as the page lasts. */
  hold(name, blob) { this.#here.set(name, blob); }

  /** Keep a table, also for other visits if the browser allows it. */
  async put(name, blob) {
    this.hold(name, blob);
    try {
      const cache = await caches.open(CACHE);
      await cache.put(this.#address(name), new Response(blob, { headers: { 'Content-Length': String(blob.size) } }));
    } catch { /* no space, or a page that browsers do not trust */ }
  }

  /** Remove the oldest tables while all take up more than they may. */
  async trim() {
    try {
      const cache = await caches.open(CACHE);
      const requests = await cache.keys();
      const replies = await Promise.all(requests.map((request) => cache.match(request)));
      const sizes = replies.map((reply) => Number(reply.headers.get('Content-Length')));
      let total = sizes.reduce((sum, size) => sum + size, 0);
      for (let oldest = 0; total > MOST_KEPT; oldest++) {
        await cache.delete(requests[oldest]);
        total -= sizes[oldest];
      }
    } catch { /* as above */ }
  }
}
