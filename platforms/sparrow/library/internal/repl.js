// The REPL: reads what is typed, evaluates it, and prints its value.

import { inspect } from 'sparrow:internal/inspect';
import { LineEditor } from 'sparrow:internal/line-editor';
import { candidates, SET, scanned, withSetters } from 'sparrow:internal/repl-source';
import native from 'sparrow:native';
import { onSignal } from 'sparrow:process';
import { adopt } from 'sparrow:tcp';
import { sleep } from 'sparrow:timers';

const STDIN = 0;
const STDOUT = 1;
const PROMPT = '> ';
const MORE = '… ';

const print = (text) => native.writeAll(STDOUT, native.encode(`${text}\n`));
const shown = (value) => (typeof value === 'string' ? JSON.stringify(value) : inspect(value));

/** Of an error's stack, only what the user has typed and imported. */
function failure(thrown) {
  const lines = inspect(thrown).split('\n');
  const own = lines.filter((line) => !/^ {4}at .*\(?sparrow:internal\/repl/.test(line));
  return `Uncaught ${own.join('\n')}`;
}

class Session {
  failed = false;
  #count = 0;

  /** The module of what was typed; undefined if more has to be typed. Throws SyntaxError. */
  #linked(source) {
    const { begins, unfinished } = scanned(source);
    if (unfinished) return undefined;
    const { sources, imported } = candidates(source, begins);
    const name = `${native.workingFolder()}/repl-${++this.#count}`;
    let refusal;
    for (const one of sources) {
      try {
        const names = Reflect.ownKeys(native.linkModule(name, one)).filter(
          (key) => typeof key === 'string' && key !== 'default',
        );
        const set = names.filter((key) => !imported.includes(key));
        return { name, names, exported: native.linkModule(name, withSetters(one, set)) };
      } catch (error) {
        refusal = error;
        if (!(error instanceof SyntaxError)) break;
      }
    }
    if (refusal.message === 'Unexpected end of input') return undefined;
    throw refusal;
  }

  /** Evaluates and prints. Returns false if more has to be typed; `whole`: there is no more. */
  async take(source, whole) {
    if (source.trim() === '') return true;
    try {
      const module = this.#linked(source);
      if (module === undefined) {
        if (whole) throw new SyntaxError('Unexpected end of input');
        return false;
      }
      await native.evaluateModule(module.name);
      this.#bind(module);
    } catch (error) {
      this.report(error);
    }
    await sleep(0); // rejections that nobody handles are reported in between
    return true;
  }

  report(error) {
    this.failed = true;
    const plain = error instanceof SyntaxError || error?.code === 'ERR_MODULE_NOT_FOUND';
    print(plain ? `Uncaught ${error.name}: ${error.message}` : failure(error));
  }

  /** What was declared is a global, which is read and set where it was declared. */
  #bind({ names, exported }) {
    for (const name of names) {
      Object.defineProperty(globalThis, name, {
        get: () => exported[name],
        set: (value) => {
          if (!exported[SET][name])
            throw new TypeError(`${name} is imported, so no value can be assigned to it`);
          exported[SET][name](value);
        },
        configurable: true,
        enumerable: true,
      });
    }
    if (!('default' in exported)) return;
    const value = exported.default;
    Object.defineProperty(globalThis, '_', { value, writable: true, configurable: true });
    print(shown(value));
  }
}

/** Lines that are all there. A line that fails makes the exit status 1. */
async function evaluateAll(text) {
  const session = new Session();
  native.onUncaught((error) => session.report(error));
  native.setExitStatus(1); // unless all lines are reached
  const lines = text.split('\n');
  let source = '';
  for (const [index, line] of lines.entries()) {
    source += source === '' ? line : `\n${line}`;
    if (await session.take(source, index === lines.length - 1)) source = '';
  }
  native.setExitStatus(session.failed ? 1 : 0);
}

/** Lines of somebody at a terminal. */
function converse() {
  const session = new Session();
  const waiting = [];
  const editor = new LineEditor(
    (text) => native.writeAll(STDOUT, native.encode(text)),
    () => native.columns(),
  );
  let source = '';
  let busy = false;
  let stop = () => {};
  const prompt = () => editor.begin(source === '' ? PROMPT : MORE);

  async function work() {
    busy = true;
    while (waiting.length > 0) {
      const line = waiting.shift();
      const whole = source !== '' && line === '';
      source += source === '' ? line : `\n${line}`;
      const stopped = new Promise((resolve) => {
        stop = () => resolve(true);
      });
      if (await Promise.race([session.take(source, whole), stopped])) source = '';
    }
    busy = false;
    prompt();
  }

  editor.online = (line) => {
    waiting.push(line);
    if (!busy) work();
  };
  editor.onend = () => {
    print('');
    native.exit(0);
  };
  native.onUncaught((error) => {
    print('');
    session.report(error);
    if (!busy) prompt();
  });
  onSignal('SIGINT', () => {
    print('^C');
    if (busy) return stop();
    source = '';
    prompt();
  });
  native.takeTerminal();
  const keys = adopt(STDIN);
  keys.ondata = (bytes) => editor.press(bytes);
  keys.onend = keys.onerror = editor.onend;
  const { sparrow, v8 } = native.versions();
  print(
    `sparrow ${sparrow} on V8 ${v8}. An empty line ends what is unfinished, Control-D the session.`,
  );
  prompt();
}

if (native.isTerminal(STDIN)) converse();
else {
  const bytes = native.readFile('/dev/stdin');
  evaluateAll(native.decode(bytes, 0, bytes.length));
}
