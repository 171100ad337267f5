// A request, whose parts are looked at when they are asked for.

import { TextDecoder } from 'sparrow:internal/text';
import { URLSearchParams } from 'sparrow:internal/url';

const SLASH = 47;
const HOST = /^https?:\/\/[^/]*/i; // of a target that is a URL

export class Request {
  #server;
  #index; // with #serial, how the server knows it
  #serial;
  #body;

  constructor(server, index, serial, method, target, body) {
    this.#server = server;
    this.#body = body;
    this.#index = index;
    this.#serial = serial;
    this.method = method;
    this.target = target;
  }

  /** The target without its query, and without the host that a target may begin with. */
  get path() {
    const mark = this.target.indexOf('?');
    const path = mark < 0 ? this.target : this.target.slice(0, mark);
    return path.charCodeAt(0) === SLASH ? path : path.replace(HOST, '') || '/';
  }

  /** What is behind the question mark; empty without one. */
  get search() {
    const mark = this.target.indexOf('?');
    return mark < 0 ? '' : this.target.slice(mark + 1);
  }

  get query() {
    return new URLSearchParams(this.search);
  }

  /** The value of a header, in whatever case; undefined if there is none. Until it is answered. */
  header(name) {
    return this.#server.header(this.#index, this.#serial, name.toLowerCase());
  }

  /** All headers: [name, value] each. */
  get headers() {
    const flat = this.#server.headers(this.#index, this.#serial);
    return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
  }

  /** The body, which has arrived whole. */
  get bytes() {
    return this.#body ?? new Uint8Array();
  }

  get text() {
    return new TextDecoder().decode(this.bytes);
  }

  /** Throws SyntaxError for a body that is no JSON. */
  get json() {
    return JSON.parse(this.text);
  }
}
