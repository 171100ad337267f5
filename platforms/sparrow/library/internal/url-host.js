// The hosts of URLs: names, IPv4 and IPv6 addresses, in the one form that each of them has.

const FORBIDDEN = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const FORBIDDEN_IN_DOMAIN = /[^!-$&-~]/;
const IPV6_PIECES = 8;

/** A host of http and its like. Throws TypeError for one that there cannot be. */
export function domain(text) {
  if (text.startsWith('[')) return ipv6(text);
  let name;
  try {
    name = decodeURIComponent(text).toLowerCase();
  } catch {
    throw new TypeError(`invalid URL: the host '${text}' is not UTF-8`);
  }
  if (/[^\0-\x7f]/.test(name)) {
    throw new TypeError(`invalid URL: the host '${name}' is not ASCII; write it in Punycode`);
  }
  if (name === '' || FORBIDDEN.test(name) || FORBIDDEN_IN_DOMAIN.test(name)) {
    throw new TypeError(`invalid URL: '${text}' is no host`);
  }
  const labels = name.split('.');
  if (labels.length > 1 && labels.at(-1) === '') labels.pop();
  return /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)) ? ipv4(text, labels) : name;
}

/** A host of a scheme that the web does not know: it stays as it is. */
export function opaqueHost(text, encoded) {
  if (text.startsWith('[')) return ipv6(text);
  if (FORBIDDEN.test(text)) throw new TypeError(`invalid URL: '${text}' is no host`);
  return encoded(text);
}

/** Up to four numbers: decimal, octal (0…) or hexadecimal (0x…); the last fills what is left. */
function ipv4(text, labels) {
  const numbers = labels.map((label) => {
    if (/^0x[0-9a-f]*$/.test(label)) return label === '0x' ? 0 : Number.parseInt(label, 16);
    if (/^0[0-7]+$/.test(label)) return Number.parseInt(label, 8);
    return /^(?:0|[1-9]\d*)$/.test(label) ? Number(label) : Number.NaN;
  });
  const last = numbers.pop();
  const fits = numbers.every((number) => number <= 255) && last < 256 ** (4 - numbers.length);
  if (numbers.length > 3 || !fits) throw new TypeError(`invalid URL: '${text}' is no IPv4 address`);
  const value = numbers.reduce((sum, number, at) => sum + number * 256 ** (3 - at), last);
  return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.');
}

function ipv6(text) {
  const refused = new TypeError(`invalid URL: '${text}' is no IPv6 address`);
  if (!text.endsWith(']')) throw refused;
  const halves = text.slice(1, -1).split('::');
  const [front, back = []] = halves.map((half) => (half === '' ? [] : pieces(half, refused)));
  const missing = IPV6_PIECES - front.length - back.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) throw refused;
  return `[${shortened([...front, ...new Array(missing).fill(0), ...back])}]`;
}

function pieces(half, refused) {
  const words = half.split(':');
  return words.flatMap((word, at) => {
    if (at === words.length - 1 && word.includes('.')) {
      const numbers = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(word)?.slice(1);
      if (!numbers?.every((one) => Number(one) <= 255 && (one === '0' || one[0] !== '0'))) {
        throw refused;
      }
      const [a, b, c, d] = numbers.map(Number);
      return [a * 256 + b, c * 256 + d];
    }
    if (!/^[0-9a-f]{1,4}$/i.test(word)) throw refused;
    return [Number.parseInt(word, 16)];
  });
}

/** Two colons stand for the first of the longest rows of zeros, if it has two or more. */
function shortened(numbers) {
  let [begin, length] = [-1, 1];
  for (let at = 0; at < numbers.length; at++) {
    let end = at;
    while (numbers[end] === 0) end++;
    if (end - at > length) [begin, length] = [at, end - at];
    at = Math.max(at, end - 1);
  }
  const hex = numbers.map((number) => number.toString(16));
  if (begin < 0) return hex.join(':');
  return `${hex.slice(0, begin).join(':')}::${hex.slice(begin + length).join(':')}`;
}
