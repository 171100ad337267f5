// What Fastify reads requests and writes answers by: a schema is compiled to code for each.

const text = { type: 'string' };
const integer = { type: 'integer' };

function body(properties) {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Failures are of another shape and written without a schema. */
function answer(properties) {
  return { 200: { type: 'object', properties } };
}

export const paySchema = {
  body: body({ card: text, merchant: text, currency: text }),
  response: answer({
    status: text,
    amount: integer,
    currency: text,
    merchant: text,
    reference: text,
    record: text,
  }),
};

export const routeSchema = {
  body: body({
    amount: { type: 'integer', minimum: 1, maximum: 1e9 },
    country: text,
    card: { type: 'string', pattern: '^[0-9]{16}$' },
  }),
  response: answer({ processor: text, score: integer, fee: integer, eligible: integer }),
};

export const orderSchema = {
  response: answer({ id: integer, customer: text, status: text, amount: integer, note: text }),
};
