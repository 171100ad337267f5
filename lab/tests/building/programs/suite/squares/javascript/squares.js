import { squares } from '../../../harness/javascript/harness.js';

console.log(String(squares(BigInt(process.argv[2] ?? 10))));
