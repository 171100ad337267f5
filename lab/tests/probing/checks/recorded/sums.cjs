// A program that measures its iterations. First it starts a child process that measures itself too.
"use strict";

const { execFileSync } = require("node:child_process");

function element(elements, at) {
  return elements[at]; // read
}

function sum(elements, times) {
  let total = 0;
  for (let at = 0; at < times; at++) {
    total += element(elements, at % elements.length);
  }
  return total;
}

const iterations = Number(process.argv[2]);
const elements = new Array(13);
for (let at = 0; at < elements.length; at++) elements[at] = at;
for (let index = 0; index < iterations; index++) {
  const before = process.cpuUsage();
  const total = sum(elements, 13 * 7500);
  process.cpuUsage(before);
  if (index === 0 && iterations > 1) {
    const printed = execFileSync(process.execPath, [__filename, "1"], { encoding: "utf8" });
    process.stdout.write(`child ${printed}`);
  }
  console.log(String(total));
}
