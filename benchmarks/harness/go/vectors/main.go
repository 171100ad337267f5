// Vectors answers the questions of benchmarks/harness/vectors.txt.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runfair/harness/go"
	"strings"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		question, _, _ := strings.Cut(lines.Text(), " =")
		fmt.Println(append([]any{question, "="}, answer(question)...)...)
	}
}

func answer(question string) (values []any) {
	kind, text, _ := strings.Cut(question, " ")
	numbers := make([]uint64, 1+strings.Count(text, " "))
	for i, word := range strings.Fields(text) {
		_, _ = fmt.Sscan(word, &numbers[i])
	}
	switch random := harness.SplitMix64(numbers[0]); kind {
	case "splitmix64":
		for range numbers[1] {
			values = append(values, fmt.Sprintf("%016x", random.Next()))
		}
	case "bounded":
		for _, n := range numbers[1:] {
			values = append(values, random.Bounded(n))
		}
	case "shuffle":
		for i := range numbers[1] {
			values = append(values, i)
		}
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	case "cell":
		for _, value := range numbers {
			values = append(values, harness.Cell(int64(value)))
		}
	case "fnv1a":
		hash := harness.NewFNV1a()
		hash.AddString(text)
		values = append(values, fmt.Sprintf("%016x", uint64(hash)))
	}
	return values
}
