package main

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"payments/domain"
	"payments/generated"
)

var (
	errMalformed   = status.Error(codes.InvalidArgument, domain.ErrMalformed.Error())
	errNoProcessor = status.Error(codes.NotFound, "no processor")
)

// calls are the methods of payments.v1.Payments.
type calls struct {
	generated.UnimplementedPaymentsServer
	payments *domain.Payments
}

func (c *calls) Pay(_ context.Context, asked *generated.PayRequest) (*generated.Receipt, error) {
	if !domain.Payable(asked.Amount) {
		return nil, errMalformed
	}
	payment := domain.Payment{
		Card: &asked.Card, Merchant: &asked.Merchant, Currency: &asked.Currency,
	}
	receipt := payment.Receipt(asked.Amount, c.payments.Records)
	return &generated.Receipt{
		Status:    receipt.Status,
		Amount:    receipt.Amount,
		Currency:  receipt.Currency,
		Merchant:  receipt.Merchant,
		Reference: receipt.Reference,
		Record:    receipt.Record,
	}, nil
}

func (c *calls) Route(_ context.Context, asked *generated.RouteRequest) (*generated.Choice, error) {
	routing := domain.Routing{Amount: &asked.Amount, Country: &asked.Country, Card: &asked.Card}
	if !routing.Valid() {
		return nil, errMalformed
	}
	choice, ok := routing.Choice(c.payments.Processors)
	if !ok {
		return nil, errNoProcessor
	}
	return &generated.Choice{
		Processor: choice.Processor,
		Score:     choice.Score,
		Fee:       choice.Fee,
		Eligible:  int32(choice.Eligible),
	}, nil
}
