// Elements of the page: made from names, attributes and children; styles are set by properties, as the policy wants it.

/** An element; attributes whose names begin with `--` are custom properties, `on...` are listeners. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (key.startsWith('--')) element.style.setProperty(key, value);
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Say something in the line below the moves. */
export const say = (...parts) => byId('said').replaceChildren(...parts);
