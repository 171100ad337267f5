// Exceptions, generators, promises, garbage and workers that come and go.
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

function* numbers(most) {
  for (let number = 0; number < most; number++) yield number;
}

function deeper(depth) {
  return depth === 0 ? 0 : deeper(depth - 1) + 1;
}

async function work() {
  let sum = 0;
  for (const number of numbers(20_000)) {
    try {
      if (number % 100 === 0) throw new RangeError('planned');
      sum += await number;
    } catch (error) {
      sum += error.message.length;
    }
  }
  const garbage = [];
  for (let number = 0; number < 200_000; number++) {
    garbage[number % 1_000] = { number, text: `${number}` };
  }
  try {
    deeper(1e9);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return sum + JSON.parse(JSON.stringify(garbage)).length;
}

async function main() {
  let sum = await work();
  for (let round = 0; round < 3; round++) {
    const workers = [new Worker(__filename), new Worker(__filename), new Worker(__filename)];
    workers[2].terminate();
    const sums = workers
      .slice(0, 2)
      .map((worker) => new Promise((done) => worker.on('message', done)));
    for (const one of await Promise.all(sums)) sum += one;
  }
  console.log(sum);
}

if (isMainThread) main();
else work().then((sum) => parentPort.postMessage(sum));
