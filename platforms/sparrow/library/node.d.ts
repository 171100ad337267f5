// The types of the modules that sparrow shares with Node.js.

// Inside a module, `typeof URL` would be that module's own URL, and TypeScript knows no type
// `GlobalUrl` of a class or constant.
type GlobalUrl = typeof URL;
type GlobalUrlSearchParams = typeof URLSearchParams;
type GlobalBuffer = typeof Buffer;
type GlobalPerformance = typeof performance;

declare module 'node:fs' {
  type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'binary' | 'ascii' | 'hex' | 'base64';
  export const constants: Record<'O_RDONLY' | 'O_WRONLY' | 'O_CREAT' | 'O_NONBLOCK', number>;
  export function readFileSync(file: string | URL | number, options?: { encoding?: null }): Buffer;
  export function readFileSync(
    file: string | URL | number,
    options: Encoding | { encoding: Encoding },
  ): string;
  export function writeFileSync(
    file: string | URL | number,
    content: string | Bytes,
    options?: Encoding | { encoding?: Encoding; flag?: string; mode?: number | string },
  ): void;
  export function openSync(
    path: string | URL,
    flags?: 'r' | 'r+' | 'w' | 'a' | number,
    mode?: number | string,
  ): number;
  export function readSync(
    descriptor: number,
    bytes: ArrayBufferView,
    offset?: number | { offset?: number; length?: number; position?: number | null },
    length?: number,
    position?: number | null,
  ): number;
  export function writeSync(descriptor: number, content: string | Bytes): number;
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
  const all: typeof import('node:fs');
  export default all;
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
  const all: typeof import('node:path');
  export default all;
}

declare module 'node:url' {
  export const URL: GlobalUrl;
  export type URL = globalThis.URL;
  export const URLSearchParams: GlobalUrlSearchParams;
  export type URLSearchParams = globalThis.URLSearchParams;
  export function fileURLToPath(url: string | URL): string;
  export function pathToFileURL(path: string): URL;
  const all: typeof import('node:url');
  export default all;
}

declare module 'node:buffer' {
  export const Buffer: GlobalBuffer;
  export type Buffer = globalThis.Buffer;
  const all: typeof import('node:buffer');
  export default all;
}

declare module 'node:os' {
  export function availableParallelism(): number;
  export function cpus(): { model: string }[];
  export const EOL: '\n';
  const all: typeof import('node:os');
  export default all;
}

declare module 'node:perf_hooks' {
  export const performance: GlobalPerformance;
  const all: typeof import('node:perf_hooks');
  export default all;
}

declare module 'node:v8' {
  export function getHeapStatistics(): Record<
    'heap_size_limit' | 'used_heap_size' | 'total_heap_size' | 'external_memory',
    number
  >;
  const all: typeof import('node:v8');
  export default all;
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
  const all: typeof import('node:worker_threads');
  export default all;
}

// The same modules without the prefix.
declare module 'fs' {
  export * from 'node:fs';
  export { default } from 'node:fs';
}
declare module 'path' {
  export * from 'node:path';
  export { default } from 'node:path';
}
declare module 'url' {
  export * from 'node:url';
  export { default } from 'node:url';
}
declare module 'buffer' {
  export * from 'node:buffer';
  export { default } from 'node:buffer';
}
declare module 'os' {
  export * from 'node:os';
  export { default } from 'node:os';
}
declare module 'perf_hooks' {
  export * from 'node:perf_hooks';
  export { default } from 'node:perf_hooks';
}
declare module 'v8' {
  export * from 'node:v8';
  export { default } from 'node:v8';
}
declare module 'worker_threads' {
  export * from 'node:worker_threads';
  export { default } from 'node:worker_threads';
}
