// Parses, hashes, keeps and answers as a small server does, as often as its argument says.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

type request struct {
	Amount int    `json:"amount"`
	Card   string `json:"card"`
	Items  []int  `json:"items"`
}

type record struct {
	key     string
	request request
	parts   [][]int
}

func main() {
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	records := make([]*record, 1000)
	sent := 0
	for i := 0; i < count; i++ {
		body := fmt.Sprintf(`{"amount": %d, "card": "4000-%d", "items": [%d, %d]}`, i%997, i%8999, i, i+1)
		var asked request
		if err := json.Unmarshal([]byte(body), &asked); err != nil {
			panic(err)
		}
		sum := sha256.Sum256([]byte(asked.Card))
		kept := &record{key: hex.EncodeToString(sum[:]), request: asked, parts: make([][]int, 20)}
		for part := range kept.parts {
			kept.parts[part] = []int{part}
		}
		records[i%len(records)] = kept
		answer, err := json.Marshal(map[string]any{"key": kept.key, "amount": asked.Amount})
		if err != nil {
			panic(err)
		}
		sent += len(answer)
	}
	fmt.Printf("{\"sent\":%d}\n", sent)
}
