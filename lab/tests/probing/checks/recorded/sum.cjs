// The program of the recorded listings. Its array has holes to V8, and is read by an inlined function.
"use strict";

function element(elements, at) {
  return elements[at];
}

function sum(elements, times) {
  let total = 0;
  for (let at = 0; at < times; at++) {
    total += element(elements, at);
  }
  return total;
}

const elements = new Array(4);
for (let at = 0; at < elements.length; at++) elements[at] = at;
%PrepareFunctionForOptimization(element);
%PrepareFunctionForOptimization(sum);
sum(elements, 4);
%OptimizeFunctionOnNextCall(sum);
sum(elements, 4);
