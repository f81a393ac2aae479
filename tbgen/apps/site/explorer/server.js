// Answers of `tbgen serve`: what /r-mobility and /tables say.

const UNKNOWN = ['MissingTableError', 'TooManyMenError'];

export class Server {
  /** `base` leads from the page to the server's root. */
  constructor(base) { this.base = base; }

  async #get(path, asked = {}) {
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
    let reply;
    try {
      reply = await fetch(`${this.base}${path}?${query}`, { headers: { Accept: 'application/json' } });
    } catch {
      throw Object.assign(Error('The server does not answer.'), { isLost: true });
    }
    const facts = await reply.json().catch(() => ({ message: `the server said ${reply.status}` }));
    if (reply.ok) return facts;
    const text = `${facts.message[0].toUpperCase()}${facts.message.slice(1)}.`;
    throw Object.assign(Error(text), { isMissing: UNKNOWN.includes(facts.error), isLost: reply.status >= 500 });
  }

  /** A position with its moves and its strip, and after any plies without a reset what the fifty-move rule leaves. */
  probe(fen, accrued) {
    const fifty = Number(fen.split(' ')[4]) > 0 ? 'reset' : '';
    return this.#get('r-mobility', { fen, accrued, fifty, strip: '1' });
  }

  /** Best play from a position. */
  async line(fen, accrued) { return (await this.#get('r-mobility/line', { fen, accrued })).line; }

  /** What a table holds, in figures. */
  ending(material) { return this.#get(`tables/${material}.json`); }

  /** The endings that are here. */
  async names() { return (await this.#get('tables/tables.json')).tables.map((each) => each.material); }
}
