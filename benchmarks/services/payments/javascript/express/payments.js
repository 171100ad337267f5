// The service `payments` on Express: benchmarks/services/payments/contract.md.

import { createServer } from 'node:http';

import express from 'express';

import { closeServer, listening } from '../domain/http.js';
import { openOrders } from '../domain/orders.js';
import { pay } from '../domain/pay.js';
import { servePayments } from '../domain/payments.js';
import { orderId, payment, paymentAmount, routing } from '../domain/request.js';
import { route } from '../domain/route.js';

function application({ records, processors }, orders) {
  const app = express();
  const json = express.json();

  app.post('/pay/:amount', json, (request, response) => {
    const amount = paymentAmount(request.params.amount);
    const asked = payment(request.body);
    if (amount === undefined || asked === undefined) return refuse(response);
    response.json(pay(records, amount, asked));
  });

  app.post('/route', json, (request, response) => {
    const asked = routing(request.body);
    if (asked === undefined) return refuse(response);
    const answer = route(processors, asked);
    if (answer === undefined) return fail(response, 404, 'no processor');
    response.json(answer);
  });

  app.get('/order/:id', async (request, response) => {
    const id = orderId(request.params.id);
    if (id === undefined) return refuse(response);
    if (orders === undefined) return fail(response, 503, 'no database');
    const order = await orders.find(id);
    if (order === undefined) return fail(response, 404, 'no order');
    response.json(order);
  });

  app.use((_request, response) => fail(response, 404, 'no such path'));
  // Express knows a handler of errors by its four parameters.
  app.use((error, _request, response, _next) => {
    const status = error.status ?? 500;
    if (status >= 500) console.error(error);
    fail(response, status, status < 500 ? 'malformed request' : 'internal error');
  });
  return app;
}

function refuse(response) {
  fail(response, 400, 'malformed request');
}

function fail(response, status, error) {
  response.status(status).json({ error });
}

servePayments('express', async (data, { host, port, database, connections }) => {
  const orders = await openOrders(database, connections);
  const server = createServer(application(data, orders));
  await listening(server, host, port);
  return {
    port: server.address().port,
    async stop() {
      await closeServer(server);
      await orders?.close();
    },
  };
});
