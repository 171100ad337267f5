// A body that is made while it is sent, as fast as its client takes it.

import native from 'sparrow:native';

const MOST_WAITING = 65536;

/** Sends what `reply.body` gives; `streams` has those under way, by the number of the connection. */
export async function stream(server, streams, index, serial, lines, reply) {
  if (server.beginStream(index, serial, reply.status, lines) < 0) return;
  let wake = () => {};
  let open = true;
  streams.set(index, {
    drained: () => wake(),
    closed: () => {
      open = false;
      wake();
    },
  });
  let whole = false;
  try {
    for await (const part of reply.body) {
      if (!open) break;
      const waiting = server.writeStream(index, serial, bytesOf(part));
      if (waiting > MOST_WAITING && open) {
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    }
    whole = true;
  } catch (error) {
    console.error(error);
  }
  if (!open) return;
  streams.delete(index);
  server.endStream(index, serial, whole);
}

function bytesOf(part) {
  if (typeof part === 'string') return native.encode(part);
  if (part instanceof Uint8Array) return part;
  throw new TypeError('the parts of a body must be strings or bytes');
}
