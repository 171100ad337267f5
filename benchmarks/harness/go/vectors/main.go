// Vectors answers the questions of benchmarks/harness/vectors.txt.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"runfair/harness/go"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		question, _, _ := strings.Cut(lines.Text(), " =")
		fmt.Println(append([]any{question, "="}, answer(question)...)...)
	}
}

func answer(question string) (values []any) {
	kind, text, _ := strings.Cut(question, " ")
	hash := harness.NewFNV1a()
	var random harness.SplitMix64
	var n uint64 // as many numbers, or the first bound
	_, _ = fmt.Sscan(text, &random, &n)
	switch kind {
	case "fnv1a":
		hash.AddString(text)
		values = append(values, fmt.Sprintf("%016x", uint64(hash)))
	case "splitmix64":
		for range n {
			values = append(values, fmt.Sprintf("%016x", random.Next()))
		}
	case "bounded":
		for _, bound := range strings.Fields(text)[1:] {
			_, _ = fmt.Sscan(bound, &n)
			values = append(values, random.Bounded(n))
		}
	case "shuffle":
		for i := range n {
			values = append(values, i)
		}
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	}
	return values
}
