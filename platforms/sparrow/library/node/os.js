// Node's os, as far as programs ask how much may run at once.

import native from 'sparrow:native';

export const availableParallelism = () => native.processors();
export const cpus = () => Array.from({ length: native.processors() }, () => ({ model: 'unknown' }));
export const EOL = '\n';

export default { availableParallelism, cpus, EOL };
