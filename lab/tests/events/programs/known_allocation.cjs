'use strict';
// Allocates 512 MiB in arrays of 1,024 bytes, between two monotonic readings that it prints.

const ARRAYS = 512 * 1024;
const ELEMENTS = 122; // of 8 bytes, beside two headers of together 48

let last = null;
const before = process.hrtime.bigint();
for (let i = 0; i < ARRAYS; i++) last = new Array(ELEMENTS).fill(i);
const after = process.hrtime.bigint();
console.log(`{"before_ns":${before},"after_ns":${after},"last":${last[0]}}`);
