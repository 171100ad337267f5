// Node's v8, as far as programs ask for the heap.

import native from 'sparrow:native';

export function getHeapStatistics() {
  const { heapLimit, heapUsed, heapTotal, external } = native.memory();
  return {
    heap_size_limit: heapLimit,
    used_heap_size: heapUsed,
    total_heap_size: heapTotal,
    external_memory: external,
  };
}

export default { getHeapStatistics };
