package main

import (
	"fmt"
	"slices"
	"testing"

	harness "runfair/harness/go"
)

// cases are arrays of every small length with few and with many equal words.
func cases() [][]string {
	random := harness.SplitMix64(5)
	var all [][]string
	for n := range 71 {
		for _, different := range []uint64{1, 3, 1000} {
			x := make([]string, n)
			for i := range x {
				x[i] = word(int(random.Bounded(different)), 10, 3)
			}
			all = append(all, x)
		}
	}
	return all
}

func TestSortsAsTheLibraryDoes(t *testing.T) {
	for _, x := range cases() {
		want, got := slices.Sorted(slices.Values(x)), slices.Clone(x)
		sort(got, 0, len(got))
		if !slices.Equal(got, want) {
			t.Fatalf("%v became %v", x, got)
		}
	}
}

func TestSortsOnlyItsInterval(t *testing.T) {
	x := []string{"z", "y", "x", "w", "v", "u", "a"}
	sort(x, 1, 6)
	if got := fmt.Sprint(x); got != "[z u v w x y a]" {
		t.Errorf("became %s", got)
	}
}

func TestCountsAsOnPaper(t *testing.T) {
	for _, c := range []struct {
		words              []string
		comparisons, swaps uint64
	}{
		{[]string{}, 0, 0},
		{[]string{"a"}, 0, 0},
		// sortInto(0, 1, 1) swaps them; the insertion compares once, and swaps them back.
		{[]string{"a", "b"}, 1, 2},
		// sortInto(0, 1, 1) sorts them; the insertion compares once.
		{[]string{"b", "a"}, 1, 1},
	} {
		before := counts
		sort(c.words, 0, len(c.words))
		if comparisons, swaps := counts.comparisons-before.comparisons, counts.swaps-before.swaps; comparisons != c.comparisons || swaps != c.swaps {
			t.Errorf("%v: %d comparisons and %d swaps, not %d and %d", c.words, comparisons, swaps, c.comparisons, c.swaps)
		}
	}
}

func TestWordsCountInLetters(t *testing.T) {
	for _, c := range []struct {
		number int
		want   string
	}{{0, "aaa"}, {1, "aab"}, {3, "aad"}, {4, "aba"}, {63, "ddd"}} {
		if got := word(c.number, 4, 3); got != c.want {
			t.Errorf("word %d is %s, not %s", c.number, got, c.want)
		}
	}
}
