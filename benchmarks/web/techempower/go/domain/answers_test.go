package domain

import (
	"strings"
	"testing"
)

func TestTextsStateNumbersOfQueries(t *testing.T) {
	for text, expected := range map[string]int{
		"": 1, "foo": 1, "0": 1, "-3": 1, "20x": 1, "2_0": 1, "+20": 1, "2": 2, "500": 500, "501": 500,
		strings.Repeat("9", 5000): 500, "-" + strings.Repeat("9", 5000): 1,
	} {
		if count := Count(text); count != expected {
			t.Errorf("%.20q states %d queries", text, count)
		}
	}
}
