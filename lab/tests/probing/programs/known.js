// Executes bytecodes whose numbers are known, in the main thread and in two workers.
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const LENGTH = 1_000;

function work(times) {
  let numbers = Array.from({ length: LENGTH }, (_, at) => at);
  let found = 0;
  for (let round = 0; round < times; round++) {
    numbers = numbers.slice(); // the old array is garbage
    for (let at = 0; at < LENGTH; at++) {
      found = numbers[at] ^ found;
    }
  }
  return found;
}

if (isMainThread) {
  const times = Number(process.argv[2]);
  console.log(work(times), process.env.NODE_OPTIONS ?? 'no options');
  for (let number = 0; number < 2; number++) {
    new Worker(__filename, { workerData: times });
  }
} else {
  work(workerData);
}
