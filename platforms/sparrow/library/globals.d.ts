// The types of sparrow's globals.

interface ImportMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
  /** Whether this is the program's own file. */
  readonly main: boolean;
}

declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  error(...values: unknown[]): void;
  warn(...values: unknown[]): void;
};

declare const performance: {
  readonly timeOrigin: number;
  now(): number;
};

declare function setTimeout<A extends unknown[]>(
  callback: (...values: A) => void,
  ms?: number,
  ...values: A
): import('sparrow:timers').Timer;
declare function setInterval<A extends unknown[]>(
  callback: (...values: A) => void,
  ms?: number,
  ...values: A
): import('sparrow:timers').Timer;
declare function setImmediate<A extends unknown[]>(
  callback: (...values: A) => void,
  ...values: A
): import('sparrow:timers').Timer;
declare function clearTimeout(timer?: import('sparrow:timers').Timer): void;
declare function clearInterval(timer?: import('sparrow:timers').Timer): void;
declare function queueMicrotask(callback: () => void): void;

declare class AbortSignal {
  private constructor();
  readonly aborted: boolean;
  readonly reason: any;
  /** Given after so many milliseconds. It does not keep the program alive. */
  static timeout(ms: number): AbortSignal;
  static abort(reason?: unknown): AbortSignal;
  throwIfAborted(): void;
  addEventListener(name: 'abort', listener: (event: { target: AbortSignal }) => void): void;
  removeEventListener(name: 'abort', listener: (event: { target: AbortSignal }) => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

type Pairs = Iterable<[string, string]> | Record<string, string>;

declare class Headers {
  constructor(source?: Pairs);
  append(name: string, value: string): void;
  set(name: string, value: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  delete(name: string): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  forEach(callback: (value: string, name: string, headers: Headers) => void): void;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

/** An answer, whose body has arrived whole. */
declare class Response {
  constructor(
    body?: string | Bytes | null,
    options?: { status?: number; statusText?: string; headers?: Pairs; url?: string },
  );
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly ok: boolean;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  json(): Promise<any>;
}

/** Rejects with TypeError if there is no answer. */
declare function fetch(
  target: string | URL,
  options?: {
    method?: string;
    headers?: Pairs;
    body?: string | Bytes | URLSearchParams;
    redirect?: 'follow' | 'manual' | 'error';
    signal?: AbortSignal;
    /** The greatest size of an answer's body: 256 MiB. */
    bodyBytes?: number;
    tls?: import('sparrow:tcp').ClientTls;
  },
): Promise<Response>;

declare class TextEncoder {
  readonly encoding: 'utf-8';
  encode(text?: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: 'utf-8';
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: Bytes): string;
}

declare class URLSearchParams {
  constructor(source?: string | Pairs);
  readonly size: number;
  append(name: string, value: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  delete(name: string, value?: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, all: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

declare class URL {
  constructor(text: string | URL, base?: string | URL);
  static canParse(text: string, base?: string): boolean;
  static parse(text: string, base?: string): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}

interface CryptoKey {
  readonly type: 'secret';
  readonly algorithm: { name: 'HMAC'; hash: { name: string }; length: number };
  readonly extractable: boolean;
  readonly usages: ('sign' | 'verify')[];
}

type Bytes = ArrayBufferLike | ArrayBufferView;

declare const crypto: {
  readonly subtle: {
    digest(algorithm: string | { name: string }, data: Bytes): Promise<ArrayBuffer>;
    importKey(
      format: 'raw',
      data: Bytes,
      algorithm: { name: 'HMAC'; hash: string | { name: string } },
      extractable: boolean,
      usages: ('sign' | 'verify')[],
    ): Promise<CryptoKey>;
    exportKey(format: 'raw', key: CryptoKey): Promise<ArrayBuffer>;
    sign(algorithm: 'HMAC' | { name: 'HMAC' }, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
    verify(
      algorithm: 'HMAC' | { name: 'HMAC' },
      key: CryptoKey,
      signature: Bytes,
      data: Bytes,
    ): Promise<boolean>;
  };
  getRandomValues<T extends ArrayBufferView>(view: T): T;
  randomUUID(): string;
};

interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: string, begin?: number, end?: number): string;
  toJSON(): { type: 'Buffer'; data: number[] };
  equals(other: Uint8Array): boolean;
  /** Shares the bytes. */
  slice(begin?: number, end?: number): Buffer;
  fill(value: string | Uint8Array | number, encoding?: string): this;
  fill(
    value: string | Uint8Array | number,
    begin?: number,
    end?: number,
    encoding?: string,
  ): this;
  indexOf(value: string | Uint8Array | number, begin?: number, encoding?: string): number;
  includes(value: string | Uint8Array | number, begin?: number, encoding?: string): boolean;
  write(text: string, at?: number, encoding?: string): number;
}

declare const Buffer: {
  new (size: number): Buffer;
  from(text: string, encoding?: string): Buffer;
  from(buffer: ArrayBufferLike, begin?: number, length?: number): Buffer;
  from(bytes: Iterable<number>): Buffer;
  alloc(size: number, value?: string | Uint8Array | number, encoding?: string): Buffer;
  allocUnsafe(size: number): Buffer;
  isBuffer(value: unknown): value is Buffer;
  byteLength(value: string | ArrayBuffer | ArrayBufferView, encoding?: string): number;
  concat(parts: Uint8Array[], size?: number): Buffer;
};

/** The part of Node's `process` that small programs use. */
declare const process: {
  readonly argv: string[];
  readonly execArgv: string[];
  readonly execPath: string;
  readonly env: Record<string, string | undefined>;
  readonly pid: number;
  readonly platform: 'linux';
  readonly version: string;
  readonly release: { name: 'sparrow' };
  readonly versions: { sparrow: string; v8: string };
  hrtime: {
    (since?: [number, number]): [number, number];
    bigint(): bigint;
  };
  exit(status?: number): never;
  exitCode: number;
  cwd(): string;
  /** How the engine was compiled. */
  readonly config: any;
  uptime(): number;
  memoryUsage(): { rss: number; heapTotal: number; heapUsed: number; external: number };
  cpuUsage(since?: { user: number; system: number }): { user: number; system: number };
  /** Signals alone. */
  on(name: import('sparrow:process').Signal, handler: () => void): typeof process;
  once(name: import('sparrow:process').Signal, handler: () => void): typeof process;
  readonly stdout: { write(text: string | Bytes): void };
  readonly stderr: { write(text: string | Bytes): void };
};
