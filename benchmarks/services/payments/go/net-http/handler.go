package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"strconv"

	"payments/domain"
)

const mostBodyBytes = 1 << 20

// failure is the body of every answer but 200, and why it is none.
type failure struct {
	status int
	Text   string `json:"error"`
}

func (f *failure) Error() string { return f.Text }

var (
	errMalformed   = &failure{http.StatusBadRequest, domain.ErrMalformed.Error()}
	errNoPath      = &failure{http.StatusNotFound, "no such path"}
	errNoProcessor = &failure{http.StatusNotFound, "no processor"}
	errNoOrder     = &failure{http.StatusNotFound, "no order"}
	errNoDatabase  = &failure{http.StatusServiceUnavailable, "no database"}
	errInternal    = &failure{http.StatusInternalServerError, "internal error"}
)

type handler struct {
	payments *domain.Payments
	orders   *orders
}

func newHandler(payments *domain.Payments, orders *orders) http.Handler {
	h := &handler{payments, orders}
	mux := http.NewServeMux()
	mux.Handle("POST /pay/{amount}", endpoint(h.pay))
	mux.Handle("POST /route", endpoint(h.route))
	mux.Handle("GET /order/{id}", endpoint(h.order))
	mux.Handle("/", endpoint(func(*http.Request) (any, error) { return nil, errNoPath }))
	return mux
}

func (h *handler) pay(request *http.Request) (any, error) {
	amount, err := domain.Amount(request.PathValue("amount"))
	if err != nil {
		return nil, err
	}
	var payment domain.Payment
	if err := read(request, &payment); err != nil || !payment.Valid() {
		return nil, errMalformed
	}
	return payment.Receipt(amount, h.payments.Records), nil
}

func (h *handler) route(request *http.Request) (any, error) {
	var routing domain.Routing
	if err := read(request, &routing); err != nil || !routing.Valid() {
		return nil, errMalformed
	}
	choice, ok := routing.Choice(h.payments.Processors)
	if !ok {
		return nil, errNoProcessor
	}
	return choice, nil
}

func (h *handler) order(request *http.Request) (any, error) {
	id, err := domain.OrderID(request.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if h.orders == nil {
		return nil, errNoDatabase
	}
	return h.orders.find(request.Context(), id)
}

// endpoint answers a request with a value, or with why there is none.
type endpoint func(*http.Request) (any, error)

func (e endpoint) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	request.Body = http.MaxBytesReader(response, request.Body, mostBodyBytes)
	value, err := e(request)
	if err != nil {
		fault := failureOf(err)
		send(response, fault.status, fault)
		return
	}
	send(response, http.StatusOK, value)
}

func failureOf(err error) *failure {
	var fault *failure
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.Is(err, domain.ErrMalformed):
		return errMalformed
	}
	log.Print(err)
	return errInternal
}

func read(request *http.Request, value any) error {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, value)
}

func send(response http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // none of these values can fail
	}
	body.Truncate(body.Len() - 1) // the line feed that Encode adds
	header := response.Header()
	header.Set("Content-Type", "application/json")
	// By itself net/http sends an answer of more than 2 KB in chunks.
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	response.WriteHeader(status)
	// A client that has gone is no failure of the service.
	_, _ = body.WriteTo(response)
}
