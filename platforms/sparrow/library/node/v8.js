// Node's v8, as far as programs ask for the heap.

import native from 'sparrow:native';

export function getHeapStatistics() {
  const heap = native.heap();
  return {
    heap_size_limit: heap.limit,
    used_heap_size: heap.used,
    total_heap_size: heap.total,
    external_memory: heap.external,
  };
}

export default { getHeapStatistics };
