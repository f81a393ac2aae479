// Solves tables with the kernels of tbgen itself: kernels.wasm has them, and plans.bin all that Python works out before they
// run (scripts/wasm.py makes both). Nothing here knows chess: it fills memory, calls kernels, and takes values out.

const BASE = 1 << 20; // the first address of a plan's arrays
const RESULT = BASE - 64; // where a kernel leaves what it returns,
const FAULT = BASE - 32; // and where it would say what went wrong
const PAGE = 65536; // bytes of memory that come and go together

/** The solver's files in a folder; `bytesOf` promises those of a file. */
export async function loadSolver(bytesOf) {
  const [kernels, packed] = await Promise.all([bytesOf('kernels.wasm'), bytesOf('plans.bin')]);
  const [module, facts] = await Promise.all([WebAssembly.compile(kernels), unpackedFacts(packed)]);
  const pool = Uint8Array.from(atob(facts.pool), (each) => each.charCodeAt(0));
  return new Solver(module, facts.plans, pool);
}

/** What the plans say. */
export async function unpackedFacts(packed) {
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(unpacked).json();
}

export class Solver {
  constructor(module, plans, pool) {
    this.plans = plans;
    this.pool = pool;
    this.exports = new WebAssembly.Instance(module).exports;
    if (this.exports.__heap_base.value > RESULT) throw Error('The kernels take up memory that plans use.');
    this.used = BASE; // memory below is full of what was solved before
  }

  /** The tables that a table needs beside those that are here, each after those that it needs, and itself at last. */
  orderOf(name, here = [], order = []) {
    if (here.includes(name) || order.includes(name)) return order;
    for (const child of this.plans[name].children) this.orderOf(child, here, order);
    order.push(name);
    return order;
  }

  /** Solve a table: the values and patterns of its cells, and the rows of each run's patterns.
   *
   * `valuesOf` promises the entry values and distances of a table. `tell` is told which share of the table is solved.
   */
  async solve(name, valuesOf, tell = () => {}) {
    const plan = this.plans[name];
    this.#begin(plan);
    for (const [child, first] of plan.captures) {
      const { entry, dtg } = await valuesOf(child);
      this.#put(entry, plan.entry + first);
      this.#put(dtg, plan.dtg + 2 * first);
    }
    await this.#copyPromotions(plan, valuesOf);
    const runs = [];
    for (const [first, end] of plan.runs) {
      for (const interner of plan.interners) this.#call('forget_nodes', interner);
      for (let block = first; block < end; block++) this.#solveBlock(plan, block);
      runs.push({ first: 2 * plan.half * first, end: 2 * plan.half * end, ...this.#dictionary(plan) });
      tell(end / plan.blocks.length);
    }
    const cells = 2 * plan.half * plan.blocks.length;
    const [address, ...shape] = plan.found;
    return {
      entry: this.#view(Int8Array, plan.entry, cells).slice(),
      dtg: this.#view(Uint16Array, plan.dtg, cells).slice(),
      pattern: this.#view(Uint32Array, plan.pattern, cells).slice(),
      runs,
      found: this.#view(BigInt64Array, address, shape.reduce((product, size) => product * size)).slice(),
    };
  }

  /** Memory as a plan wants it before anything is solved. */
  #begin(plan) {
    this.#reserve(plan.end);
    this.#view(Uint8Array, BASE, this.used - BASE).fill(0);
    this.used = plan.end;
    for (let at = 0; at < plan.contents.length; at += 3) {
      const [address, from, size] = plan.contents.slice(at, at + 3);
      this.#put(this.pool.subarray(from, from + size), address);
    }
  }

  /** Copy what promotions lead to, plane by plane of the tables that have it. */
  async #copyPromotions(plan, valuesOf) {
    for (const [child, box] of Object.entries(plan.copied)) {
      const { entry, dtg } = await valuesOf(child);
      for (const [asked, plane, how, routes, targets, count] of plan.promotions) {
        if (asked !== child) continue;
        const first = plane * box.cells;
        this.#put(entry.subarray(first, first + box.cells), box.entry);
        this.#put(dtg.subarray(first, first + box.cells), box.dtg);
        this.#call(
          'copy_promotions', box.group, routes, BigInt(how), ...array(targets, 8, count, 3), plan.atHand,
          ...array(plan.digits, 8, box.axes), ...array(plan.images, 8, box.axes),
        );
      }
    }
  }

  #solveBlock(plan, block) {
    const cells = 2 * plan.half * plan.blocks.length;
    const first = 2 * plan.half * block;
    const entry = array(plan.entry + first, 1, 2 * plan.half);
    const dtg = array(plan.dtg + 2 * first, 2, 2 * plan.half);
    const inquiry = [plan.worker, ...entry, ...dtg, plan.tables, ...array(BASE, 1, 0)];
    const all = [...array(plan.entry, 1, cells), ...array(plan.dtg, 2, cells), ...array(plan.pattern, 4, cells)];
    const [found, ...shape] = plan.found;
    const squares = array(plan.squares + 8 * plan.pawns * block, 8, plan.pawns);
    this.#call('open_block', ...inquiry, BigInt(block), ...squares, ~0n);
    this.#call('solve_distances', ...inquiry);
    this.#call('close_block', ...inquiry, plan.mirrors[block], BigInt(first), ...all, ...array(found, 8, ...shape));
  }

  /** The rows of each pattern of a run: those of pattern n begin at start[n] and end before start[n + 1]. */
  #dictionary(plan) {
    const sizes = plan.state.map((address) => this.#view(Int32Array, address, 1)[0]);
    const lengths = [1, 2].map((forcer) => {
      const before = array(plan.before[forcer], 8, sizes[forcer]);
      this.#call('find_lengths', ...before, ...array(plan.lengths[forcer - 1], 1, sizes[forcer]));
      return this.#view(Uint8Array, plan.lengths[forcer - 1], sizes[forcer]);
    });
    const [pairs] = sizes;
    const [white, black] = [plan.before[0], plan.event].map((address) => this.#view(Int32Array, address, 2 * pairs));
    const start = new Uint32Array(pairs + 1);
    for (let pair = 0; pair < pairs; pair++) start[pair + 1] = start[pair] + lengths[0][white[2 * pair]] + lengths[1][black[2 * pair]];
    this.#view(BigInt64Array, plan.start, pairs + 1).set(BigInt64Array.from(start, BigInt));
    const count = start[pairs];
    this.used = Math.max(this.used, plan.end + 8 * count);
    this.#reserve(this.used);
    this.#call('fill_rows', ...plan.interners, ...array(plan.start, 8, pairs + 1), ...array(plan.end, 8, count));
    return { start, rows: this.#view(BigInt64Array, plan.end, count).slice() };
  }

  /** Call a kernel; one that ends with another status than 0 ends the solve. */
  #call(name, ...given) {
    this.#view(BigInt64Array, RESULT, 1)[0] = 0n;
    const fault = this.exports[name](RESULT, FAULT, ...given);
    const status = this.#view(BigInt64Array, RESULT, 1)[0];
    if (fault || (status && name.endsWith('_block')) || (status && name.startsWith('solve'))) throw Error(`The kernel ${name} failed: ${fault}, ${status}.`);
  }

  #reserve(end) {
    const { memory } = this.exports;
    const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
  }

  #view(Kind, address, items) { return new Kind(this.exports.memory.buffer, address, items); }

  #put(values, address) { this.#view(values.constructor, address, values.length).set(values); }
}

/** The words by which numba hands an array to a kernel: no owner, how many items, their size, the address, shape and strides. */
function array(address, itemSize, ...shape) {
  const strides = [];
  let stride = itemSize;
  for (const extent of [...shape].reverse()) {
    strides.unshift(stride);
    stride *= extent;
  }
  return [0, 0, BigInt(stride / itemSize), BigInt(itemSize), address, ...shape.map(BigInt), ...strides.map(BigInt)];
}
