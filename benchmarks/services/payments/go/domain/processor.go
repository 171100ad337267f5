package domain

import "slices"

// Processor is one that a payment can be routed to.
type Processor struct {
	ID              string              `json:"id"`
	Countries       []string            `json:"countries"`
	FixedFee        int64               `json:"fixed_fee"`
	FeeBasisPoints  int64               `json:"fee_basis_points"`
	SuccessPermille int64               `json:"success_permille"`
	LatencyMs       int64               `json:"latency_ms"`
	LoadPermille    int64               `json:"load_permille"`
	Weights         [featureCount]int32 `json:"weights"`
}

func (p *Processor) serves(country string) bool {
	return slices.Contains(p.Countries, country)
}

func (p *Processor) fee(amount int64) int64 {
	return p.FixedFee + amount*p.FeeBasisPoints/10_000
}

func (p *Processor) score(fee int64, features *[featureCount]int32) int64 {
	score := p.SuccessPermille*1000 - fee
	score -= p.LatencyMs*10 + p.LoadPermille*p.LoadPermille/100
	for i, weight := range p.Weights {
		score += int64(weight * features[i])
	}
	return score
}
