const MOST = 500;

/** The number of queries that a text states; 1 for a text that is not a whole number. */
export function queries(text) {
  const number = /^-?\d+$/.test(text) ? Number(text) : 1;
  return Math.min(Math.max(number, 1), MOST);
}
