// Node's buffer: the global of the same name.

import { Buffer } from 'sparrow:buffer';

export { Buffer };

export default { Buffer };
