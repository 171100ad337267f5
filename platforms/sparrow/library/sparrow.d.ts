// The types of sparrow's modules and globals, for TypeScript and editors. In tsconfig.json: "types":
// [], "lib": ["esnext"], "module": "esnext" and this file among "files".

declare module 'sparrow:http' {
  /** What a handler returns. */
  export type Answer =
    | string
    | Uint8Array
    | Reply
    | import('sparrow:websocket').Upgrade
    | Promise<string | Uint8Array | Reply | import('sparrow:websocket').Upgrade>;

  export interface Limits {
    /** From a request's first byte to the end of its head, and for a handshake of TLS: 10,000. */
    headMs?: number;
    /** Between two parts of a body: 30,000. */
    bodyMs?: number;
    /** Between two requests: 75,000. */
    idleMs?: number;
    /** Until a client takes more of its answer: 30,000. */
    writeMs?: number;
    /** 1 MiB. */
    bodyBytes?: number;
  }

  export interface ServeOptions {
    /** 0: the system's choice. */
    port?: number;
    /** 127.0.0.1, or the path of a unix socket. */
    host?: string;
    /** Other processes may listen on the same port. */
    share?: boolean;
    limits?: Limits;
    /** The header of that name. */
    server?: string;
    /** HTTPS instead of HTTP. */
    tls?: { cert: string; key: string };
  }

  export interface ReplyOptions {
    status?: number;
    /** The header Content-Type; empty for none. */
    type?: string;
    headers?: Record<string, string | number | (string | number)[]>;
  }

  type Part = string | Uint8Array;

  /** An answer. An iterable body is sent in chunks, as fast as its client takes them. */
  export class Reply {
    constructor(body?: Part | Iterable<Part> | AsyncIterable<Part>, options?: ReplyOptions);
    body: Part | Iterable<Part> | AsyncIterable<Part>;
    status: number;
    type: string;
    headers: ReplyOptions['headers'];
    readonly streams: boolean;
  }

  export function text(body?: Reply['body'], options?: ReplyOptions): Reply;
  export function html(body?: Reply['body'], options?: ReplyOptions): Reply;
  export function json(value: unknown, options?: ReplyOptions): Reply;

  /** A request, whose body has arrived whole. */
  export class Request {
    private constructor();
    readonly method: string;
    readonly target: string;
    /** The target without its query. */
    readonly path: string;
    /** What is behind the question mark. */
    readonly search: string;
    readonly query: URLSearchParams;
    /** The value of a header, in whatever case. Until the request is answered. */
    header(name: string): string | undefined;
    readonly headers: [name: string, value: string][];
    readonly bytes: Uint8Array;
    readonly text: string;
    /** Throws SyntaxError for a body that is no JSON. */
    readonly json: unknown;
  }

  export class Server {
    private constructor();
    readonly port: number;
    /** How many connections of HTTP are open. */
    readonly connections: number;
    /** No new connections. Requests under way are answered, and WebSockets are closed. */
    stop(): Promise<void>;
  }

  /** Throws an error with a `code` if the port cannot be had. */
  export function serve(options: ServeOptions, handler: (request: Request) => Answer): Server;
}

declare module 'sparrow:websocket' {
  import type { Reply, Request } from 'sparrow:http';

  export interface Outcome {
    /** 1006: the client was lost. */
    code: number;
    reason: string;
  }

  export interface WebSocketOptions {
    /** Subprotocols, the best first. */
    protocols?: string[];
    /** The longest message: 1 MiB. */
    messageBytes?: number;
    /** A client that lets more wait is lost: 16 MiB. */
    waitingBytes?: number;
    /** A client that is silent for this long is asked, and then lost: 30,000. */
    pingMs?: number;
  }

  /** What makes a request a WebSocket, once a handler returns it. */
  export interface Upgrade {
    readonly protocol: string;
  }

  export class WebSocket {
    private constructor();
    onmessage: (message: string | Uint8Array) => unknown;
    /** Nothing waits for the client any longer. */
    ondrain: () => void;
    readonly protocol: string;
    readonly open: boolean;
    readonly closed: Promise<Outcome>;
    /** How many bytes wait for the client; -1 if the socket is closed. */
    send(message: string | Uint8Array): number;
    close(code?: number, reason?: string): Promise<Outcome>;
    pause(paused: boolean): void;
  }

  /** For a handler to return: refuses a request that does not ask for a WebSocket. */
  export function upgrade(
    request: Request,
    opened: (socket: WebSocket) => unknown,
    options?: WebSocketOptions,
  ): Upgrade | Reply;
}

declare module 'sparrow:postgres' {
  export type Row = Record<string, any>;
  export type Query = (text: string, values?: unknown[]) => Promise<Row[]>;

  export interface ConnectOptions {
    /** 10. */
    connections?: number;
    /** Until the server has answered the login: 30,000. */
    connectMs?: number;
    /** After this, the server ends a query with the error 57014. */
    queryMs?: number;
  }

  export class PostgresError extends Error {
    private constructor();
    /** The SQLSTATE. */
    code: string;
    severity: string;
    detail?: string;
    hint?: string;
    position?: string;
  }

  export class Pool {
    private constructor();
    /** When the signal comes, the server cancels the query. */
    query(text: string, values?: unknown[], options?: { signal?: AbortSignal }): Promise<Row[]>;
    /** All of its queries take effect, or none if `work` throws. */
    transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
    close(): void;
  }

  /**
   * To the database at postgresql://USER:PASSWORD@HOST:PORT/NAME. Behind it: ?sslmode=disable,
   * prefer (the default), require, verify-ca or verify-full, and &sslrootcert=, &sslcert=, &sslkey=
   * (paths of PEM files).
   */
  export function connect(url: string, options?: ConnectOptions): Promise<Pool>;
}

declare module 'sparrow:tcp' {
  /** Certificates and keys are PEM, or the path of a file of it. */
  export interface ClientTls {
    /** The authorities that are trusted; those of the system. */
    ca?: string;
    /** Whose certificate it must be: the host. */
    servername?: string;
    /** full; ca: any name is good; none. */
    verify?: 'full' | 'ca' | 'none';
    cert?: string;
    key?: string;
    /** The application protocol to ask for. */
    alpn?: string;
    /** 10,000. */
    handshakeMs?: number;
  }

  /** The bytes that `ondata` gets are valid during the call only. */
  export class Connection {
    private constructor();
    ondata: (bytes: Uint8Array) => void;
    onend: () => void;
    onerror: (error: Error) => void;
    ondrain: () => void;
    /** How many bytes wait for the peer; -1 if the connection is closed. */
    write(bytes: Uint8Array, from?: number, to?: number): number;
    /** Ends this side, behind all that was written. */
    end(): void;
    close(): void;
    /** Whether the program waits for this connection to close before it ends. */
    hold(held: boolean): void;
    pause(paused: boolean): void;
    /** The digest of the server's certificate: tls-server-end-point of RFC 5929. Empty without TLS. */
    readonly serverEndPoint: Uint8Array;
    /** Goes on with TLS, as its client. */
    secure(tls: ClientTls): Promise<Connection>;
  }

  /** To a unix socket if the host begins with '/'. */
  export function connect(
    host: string,
    port?: number,
    options?: { tls?: true | ClientTls },
  ): Promise<Connection>;
  /** A connection over a socket that somebody else has opened. */
  export function adopt(descriptor: number): Connection;
  export function listen(
    options: {
      host?: string;
      port?: number;
      share?: boolean;
      tls?: { cert: string; key: string; handshakeMs?: number };
      /** A handshake of TLS that failed. */
      refused?: (error: Error) => void;
    },
    accepted: (connection: Connection) => void,
  ): { port: number; close(): void };
}

declare module 'sparrow:files' {
  export function readBytes(path: string): Uint8Array;
  export function readText(path: string): string;
  export function write(path: string, content: string | Uint8Array): void;
  /** The names in a folder. */
  export function list(path: string): string[];
  /** Undefined if there is no such file. */
  export function status(path: string): { size: number; changed: Date; folder: boolean } | undefined;
}

declare module 'sparrow:crypto' {
  /** `name` as OpenSSL has it: sha256, sha512, sha1, md5. */
  export function digest(name: string, content: string | Uint8Array): Uint8Array;
  export function hmac(
    name: string,
    key: string | Uint8Array,
    content: string | Uint8Array,
  ): Uint8Array;
  export function randomBytes(count: number): Uint8Array;
  export function toBase64(bytes: Uint8Array): string;
  export function fromBase64(text: string): Uint8Array;
  export function toHex(bytes: Uint8Array): string;
}

declare module 'sparrow:process' {
  export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGTERM' | 'SIGWINCH';
  /** The arguments behind the program's file. */
  export const args: string[];
  export const env: Record<string, string | undefined>;
  export const pid: number;
  export function exit(status?: number): never;
  export function onSignal(name: Signal, handler: () => void): void;
  export function sendSignal(process: number, name: Signal | 'SIGKILL'): void;
}

declare module 'sparrow:timers' {
  export interface Timer {
    /** The program may end although this timer is still to come. */
    unref(): this;
    ref(): this;
  }
  export function setTimeout<A extends unknown[]>(
    callback: (...values: A) => void,
    ms?: number,
    ...values: A
  ): Timer;
  export function setInterval<A extends unknown[]>(
    callback: (...values: A) => void,
    ms?: number,
    ...values: A
  ): Timer;
  export function setImmediate<A extends unknown[]>(
    callback: (...values: A) => void,
    ...values: A
  ): Timer;
  export function clearTimeout(timer?: Timer): void;
  export function clearInterval(timer?: Timer): void;
  export function queueMicrotask(callback: () => void): void;
  export function sleep(ms: number): Promise<void>;
}

declare module 'sparrow:workers' {
  import type { Signal } from 'sparrow:process';

  export class Channel {
    private constructor();
    onmessage: (value: any) => void;
    onclose: () => void;
    /** A value that JSON can hold; between threads, a value that structured clone can copy. */
    send(value: unknown): void;
    /** Whether the program waits for messages before it ends. */
    hold(held: boolean): void;
    close(): void;
  }

  export interface Worker {
    readonly index: number;
    readonly pid: number;
    /** Its exit status. */
    readonly ended: Promise<number>;
    send(value: unknown): void;
    signal(name: Signal | 'SIGKILL'): void;
    onmessage: (value: any) => void;
  }

  /** In a worker: which it is, of how many, and the channel to its parent. */
  export const worker: { index: number; count: number; channel: Channel } | undefined;
  export const processors: number;
  /** Starts this program again in `count` processes, in each of which `worker` is set. */
  export function startWorkers(count: number): Worker[];
  /** The same in `count` threads of this process. `signal` calls the thread's own handler. */
  export function startThreads(count: number): Worker[];
}

declare module 'node:fs' {
  type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'binary' | 'ascii' | 'hex' | 'base64';
  export const constants: Record<'O_RDONLY' | 'O_WRONLY' | 'O_CREAT' | 'O_NONBLOCK', number>;
  export function readFileSync(path: string | URL, options?: { encoding?: null }): Buffer;
  export function readFileSync(
    path: string | URL,
    options: Encoding | { encoding: Encoding },
  ): string;
  export function writeFileSync(
    file: string | URL | number,
    content: string | Uint8Array,
    options?: Encoding | { encoding?: Encoding; flag?: string },
  ): void;
  export function openSync(path: string | URL, flags?: 'r' | 'r+' | 'w' | 'a' | number): number;
  export function readSync(
    descriptor: number,
    bytes: ArrayBufferView,
    offset?: number | { offset?: number; length?: number; position?: number | null },
    length?: number,
    position?: number | null,
  ): number;
  export function writeSync(descriptor: number, content: string | Uint8Array): number;
  export function closeSync(descriptor: number): void;
  export function statSync(path: string | URL): {
    size: number;
    mtimeMs: number;
    mtime: Date;
    isFile(): boolean;
    isDirectory(): boolean;
  };
  export function existsSync(path: string | URL): boolean;
  export function readdirSync(path: string | URL): string[];
}

declare module 'node:path' {
  export const sep: '/';
  export const delimiter: ':';
  export function isAbsolute(path: string): boolean;
  export function normalize(path: string): string;
  export function join(...parts: string[]): string;
  export function resolve(...parts: string[]): string;
  export function dirname(path: string): string;
  export function basename(path: string, ending?: string): string;
  export function extname(path: string): string;
}

declare module 'node:url' {
  export const URL: typeof globalThis.URL;
  export const URLSearchParams: typeof globalThis.URLSearchParams;
  export function fileURLToPath(url: string | URL): string;
  export function pathToFileURL(path: string): URL;
}

declare module 'node:buffer' {
  export const Buffer: typeof globalThis.Buffer;
}

declare module 'node:os' {
  export function availableParallelism(): number;
  export function cpus(): { model: string }[];
  export const EOL: '\n';
}

declare module 'node:perf_hooks' {
  export const performance: typeof globalThis.performance;
}

declare module 'node:v8' {
  export function getHeapStatistics(): Record<
    'heap_size_limit' | 'used_heap_size' | 'total_heap_size' | 'external_memory',
    number
  >;
}

declare module 'node:worker_threads' {
  interface Messages {
    on(name: 'message' | 'exit' | 'error', listener: (value: any) => void): this;
    once(name: 'message' | 'exit' | 'error', listener: (value: any) => void): this;
    off(name: string, listener: (value: any) => void): this;
    removeListener(name: string, listener: (value: any) => void): this;
    /** A value that structured clone can copy. Memory of a SharedArrayBuffer is shared. */
    postMessage(value: unknown): void;
    ref(): this;
    unref(): this;
  }
  interface ParentPort extends Messages {
    close(): void;
  }
  export const isMainThread: boolean;
  export const parentPort: ParentPort | null;
  export const threadId: number;
  export const workerData: any;
  export interface Worker extends Messages {}
  /** A thread. An error that it does not catch ends the process, so it has no event 'error'. */
  export class Worker {
    constructor(
      file: string | URL,
      options?: { workerData?: unknown; stdout?: boolean; stderr?: boolean },
    );
    threadId: number;
    /** Ends the thread when it is back in its event loop. A promise of its exit status. */
    terminate(): Promise<number>;
  }
}

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
    body?: string | Uint8Array,
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
    body?: string | Uint8Array | URLSearchParams;
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
  decode(bytes?: ArrayBuffer | ArrayBufferView): string;
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
  readonly protocol: string;
  username: string;
  password: string;
  readonly host: string;
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

type Bytes = ArrayBuffer | ArrayBufferView;

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
  write(text: string, at?: number, encoding?: string): number;
}

declare const Buffer: {
  new (size: number): Buffer;
  from(text: string, encoding?: string): Buffer;
  from(buffer: ArrayBufferLike, begin?: number, length?: number): Buffer;
  from(bytes: Iterable<number>): Buffer;
  alloc(size: number, value?: number): Buffer;
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
  memoryUsage(): { heapUsed: number; heapTotal: number; external: number };
  cpuUsage(since?: { user: number; system: number }): { user: number; system: number };
  /** Signals alone. */
  on(name: import('sparrow:process').Signal, handler: () => void): typeof process;
  once(name: import('sparrow:process').Signal, handler: () => void): typeof process;
  readonly stdout: { write(text: string | Uint8Array): void };
  readonly stderr: { write(text: string | Uint8Array): void };
};
