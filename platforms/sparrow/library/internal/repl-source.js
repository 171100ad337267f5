// What is typed at the prompt, as the source of a module: its declarations are exported, and so is
// the value of its last expression.

/** Words behind which a statement declares something, or is no expression. */
const DECLARES = /^(?:const|let|var|class|function|async\s+function)\b/;
const IMPORTS = /^import\b(?!\s*[(.])\s*([^'"]*?)\s*(?:\bfrom\b)?\s*['"]/;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
/** A line that begins so goes on with the one before, as far as nothing else is said. */
const GOES_ON = /^(?:[([`+\-*/.,?:&|=<>^%)\]}]|(?:in|instanceof|of)\b)/;
/** Behind these words and signs comes an operand: a slash begins a regular expression. */
const AWAITS_OPERAND =
  /(?:^|[^\w$.])(?:return|typeof|case|do|else|in|of|instanceof|new|void|delete|throw|await|yield)$|[([{,;:?=!~&|^<>*%+\-/]$/;
const GAP = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /"(?:\\[\s\S]|[^\\"])*"|'(?:\\[\s\S]|[^\\'])*'/y;
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\\\]\n])*\]|[^\\/[\n])+\/\w*/y;
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(`|\$\{)/y; // from behind '`' or '}'
const WORD = /[\w$]+/y;
const SETTERS = '$setters';
export const SET = 'the setters'; // no declaration can have this name

/** Reads a source from its beginning, as far as brackets and the beginnings of statements tell. */
class Scanner {
  begins = []; // where statements may begin
  #source;
  #at = 0;
  #open = []; // brackets, and '`' for the templates around them
  #last = ''; // what comes before, without gaps and the content of strings
  #fresh = true; // a statement begins here, whatever comes

  constructor(source) {
    this.#source = source;
  }

  /** False for a source that is not complete. */
  scan() {
    for (;;) {
      const newline = this.#skipGaps();
      if (this.#at === this.#source.length) return this.#open.length === 0;
      if (this.#begins(newline)) this.begins.push(this.#at);
      this.#fresh = false;
      if (!this.#step()) return false;
    }
  }

  #taken(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /** Whether the gap has the end of a line. */
  #skipGaps() {
    const from = this.#at;
    while (this.#taken(GAP));
    return this.#source.slice(from, this.#at).includes('\n');
  }

  #begins(newline) {
    if (this.#open.length > 0 || this.#source[this.#at] === ';') return false;
    const rest = this.#source.slice(this.#at, this.#at + 12);
    return this.#fresh || (newline && !AWAITS_OPERAND.test(this.#last) && !GOES_ON.test(rest));
  }

  /** Goes behind a string, a word or a sign. False for one that does not end. */
  #step() {
    const character = this.#source[this.#at];
    const isPattern = this.#last === '' || AWAITS_OPERAND.test(this.#last);
    if (this.#source.startsWith('/*', this.#at)) return false;
    if (this.#taken(QUOTED) || (character === '/' && isPattern && this.#taken(PATTERN))) {
      this.#last = '""';
      return true;
    }
    const word = this.#taken(WORD);
    this.#last = word ? `${this.#last.slice(-1)}${word[0]}` : character;
    if (word) return true;
    this.#at++;
    if (character === '`') return this.#template();
    if ('([{'.includes(character)) this.#open.push(character);
    if (')]}'.includes(character)) this.#open.pop();
    if (character === '}' && this.#open.at(-1) === '`') return this.#endSubstitution();
    this.#fresh = character === ';' || character === '}';
    return true;
  }

  #endSubstitution() {
    this.#open.pop();
    return this.#template();
  }

  /** To the end of a template, or into its next substitution. */
  #template() {
    const end = this.#taken(TEMPLATE)?.[1];
    if (end === '${') this.#open.push('`', '{');
    this.#last = end === '`' ? '""' : '{';
    return end !== undefined;
  }
}

/** Whether more has to be typed, and where statements may begin. */
export function scanned(source) {
  const scanner = new Scanner(source);
  const whole = scanner.scan();
  return { begins: scanner.begins, unfinished: !whole };
}

/** The sources to try, the best first: each is what was typed, and another way to find its value. */
export function candidates(source, begins) {
  const declared = begins.filter((at) => DECLARES.test(source.slice(at)));
  const imported = begins
    .map((at) => IMPORTS.exec(source.slice(at))?.[1] ?? '')
    .flatMap((names) => names.replace(/(?:[\w$]+|\*)\s+as\s+/g, '').match(NAME) ?? []);
  const exported = (from, to) => {
    let text = '';
    let last = from;
    for (const at of declared.filter((at) => at >= from && at < to)) {
      text += `${source.slice(last, at)}export `;
      last = at;
    }
    return text + source.slice(last, to);
  };
  const imports = `\nexport { ${imported.join(', ')} };`;
  const all = [];
  for (const at of begins) {
    if (declared.includes(at) || IMPORTS.test(source.slice(at))) continue;
    const value = source.slice(at).replace(/[;\s]+$/, '');
    all.push(`${exported(0, at)}\nexport default (\n${value}\n);${imports}`);
  }
  all.push(exported(0, source.length) + imports);
  return { sources: all, imported };
}

/** The source with functions that set what it declares. */
export function withSetters(source, names) {
  const setters = names.map((name) => `${name}() { ${name} = arguments[0]; }`).join(', ');
  return `${source}\nconst ${SETTERS} = { ${setters} };\nexport { ${SETTERS} as '${SET}' };`;
}
