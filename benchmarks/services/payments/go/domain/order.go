package domain

import "math"

// Query reads an order, by PostgreSQL's placeholder.
const Query = "SELECT id, customer, status, amount, note FROM orders WHERE id = $1"

// Order is a row of the table, and the answer to GET /order/ID.
type Order struct {
	ID       int64  `json:"id"`
	Customer string `json:"customer"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Note     string `json:"note"`
}

// OrderID is the id that a path names.
func OrderID(text string) (int64, error) {
	return number(text, math.MaxInt64)
}
