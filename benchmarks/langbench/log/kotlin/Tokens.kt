package langbench.log

/** Tokens, numbers and placeholders: langbench/log/contract.md, "Tokens". A character is a byte. */
internal object Tokens {
    const val VARIABLE_PLACEHOLDER = '\u0011'
    const val NUMBER_PLACEHOLDER = '\u0012'
    const val NOT_A_NUMBER = -1L
    private const val MOST_DIGITS = 13
    private val TOKEN_BYTES =
        BooleanArray(256) {
            val c = it.toChar()
            it >= 128 || isDigit(c) || isLetter(c) || isPlaceholder(c) || c in "+-./_\\"
        }

    private fun isDigit(c: Char): Boolean = c in '0'..'9'

    private fun isLetter(c: Char): Boolean = c in 'a'..'z' || c in 'A'..'Z'

    fun isPlaceholder(c: Char): Boolean = c == VARIABLE_PLACEHOLDER || c == NUMBER_PLACEHOLDER

    /** Where the first token from the place on begins, or the limit if there is none before it. */
    fun begin(text: String, from: Int, limit: Int): Int {
        var at = from
        while (at < limit && !TOKEN_BYTES[text[at].code]) {
            at++
        }
        return at
    }

    /** Where the token that begins there ends. */
    fun end(text: String, begin: Int, limit: Int): Int {
        var at = begin
        while (at < limit && TOKEN_BYTES[text[at].code]) {
            at++
        }
        return at
    }

    /** Tells whether the token [begin, end) of the text is a variable. */
    fun isVariable(text: String, begin: Int, end: Int): Boolean {
        var letter = false
        for (at in begin..<end) {
            val c = text[at]
            if (isDigit(c) || isPlaceholder(c)) {
                return true
            }
            letter = letter || isLetter(c)
        }
        return letter && begin > 0 && text[begin - 1] == '='
    }

    /** The code of the variable [begin, end) of the text, or NOT_A_NUMBER. */
    fun numberCode(text: String, begin: Int, end: Int): Long {
        val negative = text[begin] == '-'
        var value = 0L
        var digits = 0
        var scale = 0
        var point = false
        for (at in (if (negative) begin + 1 else begin)..<end) {
            val c = text[at]
            if (isDigit(c)) {
                if (++digits > MOST_DIGITS) {
                    return NOT_A_NUMBER
                }
                value = value * 10 + (c - '0')
                scale += if (point) 1 else 0
            } else if (c == '.' && digits > 0 && !point) {
                point = true
            } else {
                return NOT_A_NUMBER
            }
        }
        if (digits == 0 || point && scale == 0) {
            return NOT_A_NUMBER
        }
        return (value * 16 + digits) * 32 + scale * 2 + (if (negative) 1 else 0)
    }

    fun appendNumber(line: StringBuilder, code: Long) {
        val digits = (code / 32 % 16).toInt()
        val scale = (code / 2 % 16).toInt()
        val text = CharArray(digits)
        var value = code / 512
        for (at in text.indices.reversed()) {
            text[at] = '0' + (value % 10).toInt()
            value /= 10
        }
        if (code % 2 == 1L) {
            line.append('-')
        }
        line.append(text, 0, digits - scale)
        if (scale > 0) {
            line.append('.').append(text, digits - scale, scale)
        }
    }
}
