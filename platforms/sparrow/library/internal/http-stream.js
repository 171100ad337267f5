// A body that is made while it is sent, as fast as its client takes it.

import native from 'sparrow:native';

const MOST_WAITING = 65536;

/** Sends what `reply.body` gives; `streams` has those under way, by the number of the connection. */
export async function stream(server, streams, index, serial, lines, reply) {
  let wake = () => {};
  let open = server.beginStream(index, serial, reply.status, lines) >= 0;
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
      const bytes = typeof part === 'string' ? native.encode(part) : part;
      const waiting = server.writeStream(index, serial, bytes);
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
  streams.delete(index);
  if (open) server.endStream(index, serial, whole);
}
