package domain

const (
	mostRouted   = 1_000_000_000
	cardDigits   = 16
	featureCount = 32
)

// Routing is what POST /route is asked. A field that was not there is nil.
type Routing struct {
	Amount  *int64  `json:"amount"`
	Country *string `json:"country"`
	Card    *string `json:"card"`
}

// Choice is what it answers.
type Choice struct {
	Processor string `json:"processor"`
	Score     int64  `json:"score"`
	Fee       int64  `json:"fee"`
	Eligible  int    `json:"eligible"`
}

// Valid tells whether all that is needed was there, and in its range.
func (r *Routing) Valid() bool {
	return r.Amount != nil && *r.Amount >= 1 && *r.Amount <= mostRouted &&
		r.Country != nil &&
		r.Card != nil && len(*r.Card) == cardDigits && onlyDigits(*r.Card)
}

// Choice is the best of the processors; false where none serves the country.
func (r *Routing) Choice(processors []Processor) (Choice, bool) {
	features := r.features()
	var best Choice
	eligible := 0
	for i := range processors {
		processor := &processors[i]
		if !processor.serves(*r.Country) {
			continue
		}
		eligible++
		fee := processor.fee(*r.Amount)
		score := processor.score(fee, &features)
		if eligible == 1 || score > best.Score {
			best = Choice{Processor: processor.ID, Score: score, Fee: fee}
		}
	}
	best.Eligible = eligible
	return best, eligible > 0
}

func (r *Routing) features() (all [featureCount]int32) {
	for i := range all {
		digit := int64((*r.Card)[i%cardDigits] - '0')
		all[i] = int32((*r.Amount>>(i%24) ^ digit) & 255)
	}
	return all
}
