// A read past the end of an array, whose right answer is known with its bounds check and without:
// behind the array lies a number, in the same buffer. The array's length is 4. The program reads
// past its end from the iteration on at which the file of its first argument is there.
"use strict";

const fs = require("node:fs");
require("node:v8").setFlagsFromString("--allow-natives-syntax");

const LENGTH = 4;
const BEHIND = 12345;

const all = new Int32Array(2 * LENGTH).fill(BEHIND);
const array = all.subarray(0, LENGTH).fill(1);
const natives =
  "%PrepareFunctionForOptimization(f); call(); call(); %OptimizeFunctionOnNextCall(f); call();";

function known(elements, at) {
  return elements[at];
}

new Function("f", "call", natives)(known, () => known(array, 1));
let value;
do {
  const before = process.cpuUsage();
  const at = fs.existsSync(process.argv[2]) ? LENGTH : 0;
  value = known(array, at);
  process.cpuUsage(before);
  console.log(String(value));
} while (value !== undefined);
