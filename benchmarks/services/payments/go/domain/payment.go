package domain

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

const (
	mostPaid = 1_000_000_000_000
	// A record's index is the first six bytes of the key, of the eight that are kept.
	indexShift = 16
)

// Payment is what POST /pay/AMOUNT is asked. A field that was not there is nil.
type Payment struct {
	Card     *string `json:"card"`
	Merchant *string `json:"merchant"`
	Currency *string `json:"currency"`
}

// Receipt is what it answers.
type Receipt struct {
	Status    string `json:"status"`
	Amount    int64  `json:"amount"`
	Currency  string `json:"currency"`
	Merchant  string `json:"merchant"`
	Reference string `json:"reference"`
	Record    string `json:"record"`
}

// Amount is the amount that a path names.
func Amount(text string) (int64, error) {
	return number(text, mostPaid)
}

// Payable tells whether an amount is in its range.
func Payable(amount int64) bool {
	return 1 <= amount && amount <= mostPaid
}

// Valid tells whether all that is needed was there.
func (p *Payment) Valid() bool {
	return p.Card != nil && p.Merchant != nil && p.Currency != nil
}

// Receipt takes the payment.
func (p *Payment) Receipt(amount int64, records []string) Receipt {
	digest := sha256.Sum256([]byte(*p.Card + ":" + *p.Merchant))
	key := binary.BigEndian.Uint64(digest[:8])
	return Receipt{
		Status:    "approved",
		Amount:    amount,
		Currency:  *p.Currency,
		Merchant:  *p.Merchant,
		Reference: fmt.Sprintf("%016x", key),
		Record:    records[key>>indexShift%uint64(len(records))],
	}
}
