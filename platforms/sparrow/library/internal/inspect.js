// How console.log shows a value.

const MOST_ITEMS = 100;
const DEEPEST = 3;
const WIDTH = 76;

export function inspect(value, depth = 0, seen = new Set()) {
  if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return shownFunction(value);
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '[circular]';
  if (value instanceof Error) return shownError(value, seen);
  if (value instanceof Date) return Number.isNaN(+value) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (depth > DEEPEST) return Array.isArray(value) ? '[…]' : '{…}';
  seen.add(value);
  const shown = shownObject(value, (inner) => inspect(inner, depth + 1, seen));
  seen.delete(value);
  return shown;
}

function shownFunction(value) {
  const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
  return `[${kind} ${value.name || '(anonymous)'}]`;
}

function shownError(error, seen) {
  const stack = typeof error.stack === 'string' ? error.stack : String(error);
  if (error.cause === undefined) return stack;
  seen.add(error);
  const cause = inspect(error.cause, 0, seen);
  seen.delete(error);
  return `${stack}\ncause: ${cause}`;
}

function shownObject(value, show) {
  const name = Object.getPrototypeOf(value)?.constructor?.name ?? 'null';
  if (Array.isArray(value)) return joined('', '[', listed(value, show), ']');
  if (ArrayBuffer.isView(value) && value.length !== undefined) {
    return joined(`${name}(${value.length}) `, '[', listed(value, show), ']');
  }
  if (value instanceof Map) {
    const pairs = [...value].map(([key, item]) => `${show(key)} => ${show(item)}`);
    return joined(`Map(${value.size}) `, '{', limited(pairs), '}');
  }
  if (value instanceof Set) {
    return joined(`Set(${value.size}) `, '{', limited([...value].map(show)), '}');
  }
  if (value instanceof Promise) return 'Promise {}';
  const fields = Object.keys(value).map((key) => `${shownKey(key)}: ${show(value[key])}`);
  return joined(name === 'Object' ? '' : `${name} `, '{', limited(fields), '}');
}

function shownKey(key) {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? key : JSON.stringify(key);
}

function listed(values, show) {
  const items = Array.from(values.slice(0, MOST_ITEMS), show);
  if (values.length > MOST_ITEMS) items.push(`… ${values.length - MOST_ITEMS} more`);
  return items;
}

function limited(items) {
  if (items.length <= MOST_ITEMS) return items;
  return [...items.slice(0, MOST_ITEMS), `… ${items.length - MOST_ITEMS} more`];
}

function joined(prefix, open, items, close) {
  if (items.length === 0) return `${prefix}${open}${close}`;
  const line = items.join(', ');
  const brief = line.length <= WIDTH && !line.includes('\n');
  if (brief) return open === '[' ? `${prefix}[${line}]` : `${prefix}{ ${line} }`;
  return `${prefix}${open}\n  ${items.join(',\n').replaceAll('\n', '\n  ')}\n${close}`;
}
