// The service `payments` on Fastify: benchmarks/services/payments/contract.md.

import Fastify from 'fastify';

import { closeServer, KEEP_ALIVE_MS } from '../domain/http.js';
import { openOrders } from '../domain/orders.js';
import { pay } from '../domain/pay.js';
import { servePayments } from '../domain/payments.js';
import { orderId, paymentAmount } from '../domain/request.js';
import { route } from '../domain/route.js';
import { orderSchema, paySchema, routeSchema } from './schemas.js';

function application({ records, processors }, orders) {
  const app = Fastify({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Fastify's own setting would take 12 for "12".
    ajv: { customOptions: { coerceTypes: false } },
  });

  app.post('/pay/:amount', { schema: paySchema }, async (request, reply) => {
    const amount = paymentAmount(request.params.amount);
    if (amount === undefined) return fail(reply, 400, 'malformed request');
    return pay(records, amount, request.body);
  });

  app.post('/route', { schema: routeSchema }, async (request, reply) => {
    return route(processors, request.body) ?? fail(reply, 404, 'no processor');
  });

  app.get('/order/:id', { schema: orderSchema }, async (request, reply) => {
    const id = orderId(request.params.id);
    if (id === undefined) return fail(reply, 400, 'malformed request');
    if (orders === undefined) return fail(reply, 503, 'no database');
    return (await orders.find(id)) ?? fail(reply, 404, 'no order');
  });

  app.setNotFoundHandler((_request, reply) => fail(reply, 404, 'no such path'));
  app.setErrorHandler((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) console.error(error);
    return fail(reply, status, status < 500 ? 'malformed request' : 'internal error');
  });
  return app;
}

function fail(reply, status, error) {
  return reply.code(status).send({ error });
}

servePayments('fastify', async (data, { host, port, database, connections }) => {
  const orders = await openOrders(database, connections);
  const app = application(data, orders);
  await app.listen({ host, port });
  return {
    port: app.server.address().port,
    async stop() {
      await closeServer(app.server);
      await orders?.close();
    },
  };
});
