// Node's buffer: the global of the same name.

import { Buffer } from 'sparrow:internal/buffer';

export { Buffer };

export default { Buffer };
