const ADDED = { id: 0, message: 'Additional fortune added at request time.' };
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text) => text.replace(/[&<>"']/g, (character) => ESCAPED[character]);

/** The page of the fortunes and the added one, sorted by their messages' bytes. */
export function render(fortunes) {
  const rows = [...fortunes, ADDED].sort((a, b) => compare(a.message, b.message));
  const cells = rows.map(
    ({ id, message }) => `<tr><td>${id}</td><td>${escaped(message)}</td></tr>`,
  );
  return (
    '<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>' +
    `<tr><th>id</th><th>message</th></tr>${cells.join('')}</table></body></html>`
  );
}

/** By UTF-16 units, which is the order of the bytes for all characters of the plane. */
function compare(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
