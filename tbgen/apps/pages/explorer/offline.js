// The page without a network: files come from it while there is one, and else as they were at the last visit.
const NAME = `tbgen-page-${new URL(location).searchParams.get('build')}`;

addEventListener('install', (event) => event.waitUntil(fill()));
addEventListener('activate', (event) => event.waitUntil(forget()));
addEventListener('fetch', (event) => {
  const { method, url, headers } = event.request;
  const isOurs = method === 'GET' && url.startsWith(registration.scope) && !headers.has('Range');
  if (isOurs) event.respondWith(answer(event.request));
});

async function fill() {
  const names = await (await fetch('files.json')).json();
  await (await caches.open(NAME)).addAll(['./', ...names]);
}

async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith('tbgen-page-') && name !== NAME).map((name) => caches.delete(name)));
}

async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request, { cacheName: NAME, ignoreSearch: true });
    if (!kept) throw error;
    return kept;
  }
}
