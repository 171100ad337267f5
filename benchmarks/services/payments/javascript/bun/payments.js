// The service `payments` on Bun's own server: benchmarks/services/payments/contract.md.

import { KEEP_ALIVE_MS } from '../domain/http.js';
import { pay } from '../domain/pay.js';
import { servePayments } from '../domain/payments.js';
import { orderId, payment, paymentAmount, routing } from '../domain/request.js';
import { route } from '../domain/route.js';
import { openOrders } from './orders.js';

function routes({ records, processors }, orders) {
  return {
    '/pay/:amount': {
      async POST(request) {
        const amount = paymentAmount(request.params.amount);
        const asked = payment(await json(request));
        if (amount === undefined || asked === undefined) return fail(400, 'malformed request');
        return Response.json(pay(records, amount, asked));
      },
    },
    '/route': {
      async POST(request) {
        const asked = routing(await json(request));
        if (asked === undefined) return fail(400, 'malformed request');
        const answer = route(processors, asked);
        return answer === undefined ? fail(404, 'no processor') : Response.json(answer);
      },
    },
    '/order/:id': {
      async GET(request) {
        const id = orderId(request.params.id);
        if (id === undefined) return fail(400, 'malformed request');
        if (orders === undefined) return fail(503, 'no database');
        const order = await orders.find(id);
        return order === undefined ? fail(404, 'no order') : Response.json(order);
      },
    },
  };
}

/** The body, or undefined where it is not JSON. */
async function json(request) {
  try {
    return await request.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function fail(status, error) {
  return Response.json({ error }, { status });
}

servePayments('bun', async (data, { host, port, database, connections, shared }) => {
  const orders = await openOrders(database, connections);
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: shared,
    idleTimeout: KEEP_ALIVE_MS / 1000,
    routes: routes(data, orders),
    fetch: () => fail(404, 'no such path'),
    error(fault) {
      console.error(fault);
      return fail(500, 'internal error');
    },
  });
  return {
    port: server.port,
    async stop() {
      await server.stop();
      await orders?.close();
    },
  };
});
