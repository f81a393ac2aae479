// The worker that solves: each table after those that it leads to. What it tells the page is listed in solve.js.
import { loadSolver } from './solving.js';
import { Kept, Packed, pack } from './packed.js';

const here = (name) => new URL(name, import.meta.url);

async function bytesOf(name) {
  const reply = await fetch(here(name));
  if (!reply.ok) throw Error(`The solver's file ${name} cannot be fetched.`);
  return reply.arrayBuffer();
}

async function solve(name, version) {
  const kept = new Kept(version);
  const [solver, names] = await Promise.all([loadSolver(bytesOf), kept.names()]);
  const valuesOf = async (child) => (await Packed.open(await kept.get(child))).values();
  const order = solver.orderOf(name, names);
  postMessage({ order });
  for (const table of order) {
    const solved = await solver.solve(table, valuesOf, (share) => postMessage({ table, share }));
    const { slots, blocks } = solver.plans[table];
    const blob = await pack(solved, { slots, blocks });
    await kept.put(table, blob);
    postMessage({ table, blob });
  }
  await kept.trim();
}

addEventListener('message', async ({ data: { name, version } }) => {
  try {
    await solve(name, version);
    postMessage({ isDone: true });
  } catch (error) {
    postMessage({ fault: error.message });
  }
});
