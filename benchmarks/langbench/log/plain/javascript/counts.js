// What is counted.

export const counts = {
  lines: 0,
  tokens: 0,
  numbers: 0,
  references: 0,
  log_types: 0,
  variables: 0,
  scanned: 0,
  candidates: 0,
  matches: 0,
};
