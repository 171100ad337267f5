'use strict';
// Parses, hashes, keeps and answers as a small server does, as often as its argument says.

const { createHash } = require('crypto');

const count = Number(process.argv[2]);
const batch = 1000;
const records = new Array(1000).fill(null);
let sent = 0;
let i = 0;

// In batches, so that the event loop turns as it does in a server.
function answer() {
  for (const end = Math.min(i + batch, count); i < end; i++) {
    const body = `{"amount": ${i % 997}, "card": "4000-${i % 8999}", "items": [${i}, ${i + 1}]}`;
    const request = JSON.parse(body);
    const key = createHash('sha256').update(request.card).digest('hex');
    const parts = Array.from({ length: 20 }, (_, part) => [part]);
    records[i % records.length] = { key, request, parts };
    sent += JSON.stringify({ key, amount: request.amount }).length;
  }
  if (i < count) setImmediate(answer);
  else console.log(JSON.stringify({ sent }));
}

answer();
