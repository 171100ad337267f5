import fs from 'fs';

/** The memory of the process that is in RAM. */
export function residentBytes() {
  const [, kibibytes] = fs.readFileSync('/proc/self/smaps_rollup', 'utf8').match(/^Rss:\s*(\d+)/m);
  return Number(kibibytes) * 1024;
}
