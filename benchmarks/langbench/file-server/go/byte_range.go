package main

import (
	"fmt"
	"strings"
)

// beyondAnyFile stands for numbers of more than longestLength digits.
const beyondAnyFile = 1000000000000000

// byteRange is a range of bytes of a file (RFC 9110, section 14).
type byteRange struct {
	first, count int64
}

// requestedRange is that of the value of a field, which may be empty; nil is the
// whole file.
func requestedRange(value string, size int64) (*byteRange, error) {
	const unit = "bytes="
	dash := strings.IndexByte(value, '-')
	if size == 0 || !strings.HasPrefix(value, unit) || dash < 0 {
		return nil, nil
	}
	from, to := value[len(unit):dash], value[dash+1:]
	unsatisfiable := failure{416, fmt.Sprintf("Content-Range: bytes */%d", size)}
	if from == "" {
		if !isDecimal(to) {
			return nil, nil
		}
		count := min(number(to), size)
		if count == 0 {
			return nil, unsatisfiable
		}
		return &byteRange{size - count, count}, nil
	}
	if !isDecimal(from) || to != "" && !isDecimal(to) {
		return nil, nil
	}
	first, last := number(from), size-1
	if to != "" {
		if last = number(to); last < first {
			return nil, nil
		}
	}
	if first >= size {
		return nil, unsatisfiable
	}
	return &byteRange{first, min(last, size-1) - first + 1}, nil
}

func number(digits string) int64 {
	if len(digits) > longestLength {
		return beyondAnyFile
	}
	return decimal(digits)
}
