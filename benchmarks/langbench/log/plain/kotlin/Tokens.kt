package langbench.plain

internal const val VARIABLE_PLACEHOLDER = '\u0011'
internal const val NUMBER_PLACEHOLDER = '\u0012'
private const val MOST_DIGITS = 13

internal fun isDigit(c: Char) = c in '0'..'9'

private fun isLetter(c: Char) = c in 'a'..'z' || c in 'A'..'Z'

internal fun isPlaceholder(c: Char) = c == VARIABLE_PLACEHOLDER || c == NUMBER_PLACEHOLDER

private fun isTokenByte(c: Char) =
    isDigit(c) || isLetter(c) || isPlaceholder(c) || c in "+-./_\\" || c.code >= 128

internal fun tokenEnd(text: String, begin: Int): Int {
    var end = begin
    while (end < text.length && isTokenByte(text[end])) {
        end++
    }
    return end
}

internal fun isVariable(text: String, begin: Int, end: Int): Boolean {
    var letter = false
    for (at in begin until end) {
        if (isDigit(text[at]) || isPlaceholder(text[at])) {
            return true
        }
        letter = letter || isLetter(text[at])
    }
    return letter && begin > 0 && text[begin - 1] == '='
}

/** The code of a number; null if it is none. */
internal fun numberCode(token: String): Long? {
    val negative = token.startsWith('-')
    var value = 0L
    var digits = 0
    var scale = 0
    var point = false
    for (c in if (negative) token.substring(1) else token) {
        if (isDigit(c)) {
            digits++
            if (digits > MOST_DIGITS) {
                return null
            }
            value = 10 * value + (c - '0')
            if (point) {
                scale++
            }
        } else if (c == '.' && digits > 0 && !point) {
            point = true
        } else {
            return null
        }
    }
    if (digits == 0 || point && scale == 0) {
        return null
    }
    return (value * 16 + digits) * 32 + scale * 2 + (if (negative) 1 else 0)
}

internal fun numberText(code: Long): String {
    val digits = (code / 32 % 16).toInt()
    val scale = (code / 2 % 16).toInt()
    var text = (code / 512).toString().padStart(digits, '0')
    if (scale > 0) {
        text = text.substring(0, digits - scale) + "." + text.substring(digits - scale)
    }
    return if (code % 2 == 1L) "-$text" else text
}
