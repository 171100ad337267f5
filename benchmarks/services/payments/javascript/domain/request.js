// What a request may say. Each function gives undefined for what has to be answered with 400.

const GREATEST_PAYMENT = 1e12;
const GREATEST_ROUTED = 1e9;
const GREATEST_ID = 2n ** 63n - 1n;

export function paymentAmount(text) {
  const amount = /^\d+$/.test(text) ? Number(text) : 0;
  return amount >= 1 && amount <= GREATEST_PAYMENT ? amount : undefined;
}

/** A text, for an id may be greater than a number can hold exactly. */
export function orderId(text) {
  const id = /^\d+$/.test(text) ? BigInt(text) : 0n;
  return id >= 1n && id <= GREATEST_ID ? id.toString() : undefined;
}

export function payment(body) {
  const valid = ['card', 'merchant', 'currency'].every((name) => typeof body?.[name] === 'string');
  return valid ? body : undefined;
}

export function routing(body) {
  const valid =
    Number.isInteger(body?.amount) &&
    body.amount >= 1 &&
    body.amount <= GREATEST_ROUTED &&
    typeof body.country === 'string' &&
    typeof body.card === 'string' &&
    /^\d{16}$/.test(body.card);
  return valid ? body : undefined;
}
