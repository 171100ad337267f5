// Texts for the system, which reads them up to their first null character.

/**
 * `value` as a string. Throws TypeError if it has a null character: the system would use only what
 * is in front of it. The message has `what` and `shown`.
 */
export function wholeText(what, value, shown = value) {
  const text = String(value);
  if (!text.includes('\0')) return text;
  const error = new TypeError(
    `${what} must not contain a null character: ${JSON.stringify(String(shown))}`,
  );
  error.code = 'ERR_INVALID_ARG_VALUE';
  throw error;
}

export const wholePath = (value) => wholeText('a path', value);
