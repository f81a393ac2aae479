// A client that parses no score: the texts of scores in documents, each of which a legend around it explains.
// node legend.mjs < an object of documents by name
import { readFileSync } from 'node:fs';

const KINDS = { holder: 'string', moves: 'number', check: 'boolean', rank: 'number' };

function explained(value, legend, found) {
  if (typeof value === 'string' && /^-?G[0-9.]+$/.test(value)) {
    const parts = legend[value];
    for (const [part, kind] of Object.entries(KINDS)) {
      if (typeof parts?.[part] !== kind) throw new Error(`${value} has no ${part}`);
    }
    if ((parts.rank > 0) !== (parts.holder === 'white')) throw new Error(`${value} ranks with the other side's`);
    found.add(value);
  } else if (value && typeof value === 'object') {
    const inner = { ...legend, ...(value.scores ?? {}) };
    for (const [key, each] of Object.entries(value)) {
      explained(key, inner, found);
      if (key !== 'scores') explained(each, inner, found);
    }
  }
  return found;
}

const documents = Object.entries(JSON.parse(readFileSync(0, 'utf8')));
const texts = documents.map(([name, document]) => [name, [...explained(document, {}, new Set())].sort()]);
console.log(JSON.stringify(Object.fromEntries(texts)));
