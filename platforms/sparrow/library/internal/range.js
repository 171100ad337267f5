// The numbers that options may have.

/** The number that `value` is or spells. Throws RangeError unless it is whole and in the range. */
export function whole(name, value, least, most) {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}

export const portOf = (value) => whole('port', value, 0, 65535);
