// A body that is made while it is sent, as fast as its client takes it.

import { asBytes } from 'sparrow:internal/bytes';
import { sleep } from 'sparrow:timers';

const MOST_WAITING = 65536;
const MOST_AT_ONCE = 65536;

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
  let sent = 0; // since the loop has served others
  try {
    for await (const part of reply.body) {
      if (!open) break;
      const bytes = asBytes(part);
      const waiting = server.writeStream(index, serial, bytes);
      sent += bytes.length;
      if (waiting > MOST_WAITING && open) {
        await new Promise((resolve) => {
          wake = resolve;
        });
      } else if (sent > MOST_AT_ONCE) {
        sent = 0;
        await sleep(0);
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
