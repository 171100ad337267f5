import { createHash } from 'node:crypto';

/** The answer to `POST /pay/AMOUNT`. */
export function pay(records, amount, { card, merchant, currency }) {
  const key = createHash('sha256').update(`${card}:${merchant}`).digest();
  return {
    status: 'approved',
    amount,
    currency,
    merchant,
    reference: key.toString('hex', 0, 8),
    record: records[key.readUIntBE(0, 6) % records.length],
  };
}
