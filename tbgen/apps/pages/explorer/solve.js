// Tables that the browser solves: asking the worker for them, and saying how far it is.
import { byId, make } from './elements.js';
import { Kept, MOST_KEPT } from './packed.js';
import { SolvedShelf } from './solved.js';

const LARGE = 300; // megabytes of memory; a telephone asks before it takes more
const MEMORY = { 2: 120, 3: 130, 4: 400 }; // megabytes, by men (measured)

/** The tables that this page has solved or can solve, with the panel that says so. */
export class Solves {
  #worker = null;
  #asked = ''; // the table that is solved, or offered to be
  #order = [];
  #told = () => {}; // called when it is there

  static async of(version) {
    const solves = new Solves();
    solves.version = version;
    solves.kept = new Kept(version);
    solves.names = new Set(await solves.kept.names());
    return solves;
  }

  /** The shelf of a solved table; null if it is not solved. */
  async shelf(name) {
    if (!this.names.has(name)) return null;
    const blob = await this.kept.get(name);
    if (blob) return SolvedShelf.of(blob);
    this.names.delete(name); // it had to make room
    return null;
  }

  /** Solve a table, or offer to if nobody has asked for it or a telephone may lack memory; `told` is called when it is there. */
  want(name, { isAsked, told }) {
    this.#told = told;
    if (this.#asked === name) return this.#show();
    this.stop();
    this.#asked = name;
    return isAsked && !this.#isLarge() ? this.#begin() : this.#show();
  }

  stop() {
    this.#worker?.terminate(); // what has been solved on the way is kept
    this.#worker = null;
    if (this.#asked) this.#show();
  }

  #isLarge() { return MEMORY[this.#asked.length - 1] > LARGE && matchMedia('(pointer: coarse) and (max-width: 54rem)').matches; }

  #begin() {
    this.#order = [];
    this.#worker = new Worker(new URL('solver.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#heard(data);
    this.#worker.onerror = () => this.#heard({ fault: 'The solver did not start.' });
    this.#worker.postMessage({ name: this.#asked, version: this.version });
    this.#show();
  }

  /** The worker tells the order of tables, the share of a table that is solved, a table, the end, or a fault. */
  #heard({ order, table, share, blob, isDone, fault }) {
    if (order) this.#order = order;
    if (blob) {
      this.kept.hold(table, blob);
      this.names.add(table);
    }
    if (isDone || fault) {
      this.#worker.terminate();
      this.#worker = null;
    }
    if (isDone) {
      this.#asked = '';
      byId('solving').hidden = true;
      this.#told();
    } else {
      this.#show({ table, share, fault });
    }
  }

  #show({ table, share, fault } = {}) {
    const name = this.#asked;
    const panel = byId('solving');
    panel.hidden = false;
    if (this.#worker) {
      const tables = this.#order.map((each) => this.#named(each, table, share));
      const button = make('button', { type: 'button', onclick: () => this.stop() }, 'Stop');
      panel.replaceChildren(make('p', {}, `Solving ${name} in this browser. `, ...tables), make('p', {}, button));
      return;
    }
    const said = fault ?? `${name} can be solved in this browser.`;
    const memory = ` It takes ${MEMORY[name.length - 1]} MB of memory. Solved tables stay here, in at most ${MOST_KEPT / 1e6} MB.`;
    const button = make('button', { type: 'button', onclick: () => this.#begin() }, `Solve ${name}`);
    panel.replaceChildren(make('p', {}, said, memory), make('p', {}, button));
  }

  #named(each, table, share) {
    if (this.names.has(each)) return make('span', { class: 'done' }, `${each} ✓ `);
    if (each !== table || !share) return make('span', { class: 'soft' }, `${each} `);
    return make('b', {}, `${each} ${Math.round(100 * share)} % `);
  }
}
