// Loads the probe's module, and pauses before, during and after it until a line of input comes.
const { readSync, writeSync } = require('node:fs');

function pause(name) {
  writeSync(1, `${name}\n`);
  readSync(0, Buffer.alloc(1));
}

pause('before');
require(process.argv[2]);
pause('during');
process.on('exit', () => pause('after'));
