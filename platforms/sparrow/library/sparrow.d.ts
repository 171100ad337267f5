// The types of sparrow's modules and globals, for TypeScript and editors. In tsconfig.json: "types":
// [], "lib": ["esnext"], "module": "esnext" and this file among "files".

/// <reference path="globals.d.ts" />
/// <reference path="node.d.ts" />

declare module 'sparrow:http' {
  /** What a handler returns. */
  export type Answer =
    | string
    | Bytes
    | Reply
    | import('sparrow:websocket').Upgrade
    | Promise<string | Bytes | Reply | import('sparrow:websocket').Upgrade>;

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
    tls?: import('sparrow:tcp').ServerTls;
  }

  export interface ReplyOptions {
    status?: number;
    /** The header Content-Type; empty for none. */
    type?: string;
    headers?:
      | Record<string, string | number | (string | number)[]>
      | Iterable<[string, string]>;
  }

  type Part = string | Bytes;

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
    /** The target without its query, and without the host that a target may begin with. */
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
    send(message: string | Bytes): number;
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
  /** PEM as a text or bytes, or the path of a file of it. */
  export type Pem = string | Bytes;

  export interface ServerTls {
    cert: Pem;
    key: Pem;
  }

  export interface ClientTls {
    /** The authorities that are trusted; those of the system. */
    ca?: Pem;
    /** Whose certificate it must be: the host. */
    servername?: string;
    /** full; ca: any name is good; none. */
    verify?: 'full' | 'ca' | 'none';
    cert?: Pem;
    key?: Pem;
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
    /** How many bytes wait for the peer; -1 if the connection is closed. Throws after `end`. */
    write(bytes: ArrayBufferView, from?: number, to?: number): number;
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
      tls?: ServerTls & { handshakeMs?: number };
      /** A handshake of TLS that failed. */
      refused?: (error: Error) => void;
    },
    accepted: (connection: Connection) => void,
  ): { port: number; close(): void };
}

declare module 'sparrow:files' {
  export function readBytes(path: string): Uint8Array;
  export function readText(path: string): string;
  export function write(path: string, content: string | Bytes): void;
  /** The names in a folder. */
  export function list(path: string): string[];
  /** Undefined if there is no such file. */
  export function status(path: string): { size: number; changed: Date; folder: boolean } | undefined;
}

declare module 'sparrow:crypto' {
  /** `name` as OpenSSL has it: sha256, sha512, sha1, md5. */
  export function digest(name: string, content: string | Bytes): Uint8Array;
  export function hmac(name: string, key: string | Bytes, content: string | Bytes): Uint8Array;
  export function randomBytes(count: number): Uint8Array;
  export function toBase64(bytes: Bytes): string;
  export function fromBase64(text: string): Uint8Array;
  export function toHex(bytes: Bytes): string;
}

declare module 'sparrow:process' {
  export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGTERM' | 'SIGWINCH';
  /** The arguments behind the program's file. */
  export const args: string[];
  export const env: Record<string, string | undefined>;
  export const pid: number;
  export interface Memory {
    /** The resident memory of the process. All sizes are in bytes. */
    rss: number;
    heapUsed: number;
    heapTotal: number;
    heapLimit: number;
    /** The memory of ArrayBuffers. */
    external: number;
    /** Collections of the young generation. */
    minorCollections: number;
    /** Collections of the whole heap. */
    majorCollections: number;
    /** The total time in ms during which collections have stopped this thread. */
    collectionMs: number;
  }
  export function memory(): Memory;
  /** Without a status: with `process.exitCode`, which is 0 at first. */
  export function exit(status?: number): never;
  export function onSignal(name: Signal, handler: () => void): void;
  export function sendSignal(process: number, name: Signal | 'SIGKILL'): void;
}

declare module 'sparrow:children' {
  import type { Signal } from 'sparrow:process';
  import type { Connection } from 'sparrow:tcp';

  export interface StartOptions {
    /** In which the program runs: that of this process. */
    folder?: string;
    /** The program's variables: those of this process. */
    env?: Record<string, string | undefined>;
  }

  export interface Child {
    readonly pid: number;
    readonly stdin: Connection;
    readonly stdout: Connection;
    readonly stderr: Connection;
    /** Its exit status; 128 plus the number of the signal that has ended it. */
    readonly ended: Promise<number>;
    signal(name: Signal | 'SIGKILL'): void;
  }

  /** Throws an error with a `code` if the program cannot be started. */
  export function start(command: string, args?: string[], options?: StartOptions): Child;
  /** Runs a program to its end. */
  export function run(
    command: string,
    args?: string[],
    options?: StartOptions & { input?: string | Bytes },
  ): Promise<{ status: number; stdout: Uint8Array; stderr: Uint8Array }>;
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
    /** The number of the signal that has ended the process; 0 for none. Threads have none. */
    readonly killedBy?: number;
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
