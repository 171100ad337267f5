// The web tests on fasthttp: benchmarks/web/techempower/contract.md.
package main

import (
	"context"

	"github.com/valyala/fasthttp"
	"techempower/domain"
)

func main() {
	domain.Serve("fasthttp", func(database *domain.Database) domain.Server {
		return newServer(newHandler(database))
	})
}

type server struct{ *fasthttp.Server }

func newServer(handler fasthttp.RequestHandler) server {
	return server{&fasthttp.Server{
		Handler:         handler,
		Name:            "fasthttp",
		IdleTimeout:     domain.KeepAlive,
		CloseOnShutdown: true,
	}}
}

func (s server) Shutdown(soon context.Context) error { return s.ShutdownWithContext(soon) }
