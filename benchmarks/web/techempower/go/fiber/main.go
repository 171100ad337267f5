// The web tests on Fiber: benchmarks/web/techempower/contract.md.
package main

import (
	"context"
	"net"

	"github.com/gofiber/fiber/v3"
	"techempower/domain"
)

func main() {
	domain.Serve("fiber", func(database *domain.Database) domain.Server {
		app := newApp(database)
		// Fiber has no setting for it: a client that keeps asking would keep its connection.
		app.Server().CloseOnShutdown = true
		return server{app}
	})
}

type server struct{ app *fiber.App }

func (s server) Serve(listener net.Listener) error {
	// Fiber's greeting would be on the standard output, which belongs to the contract.
	return s.app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true})
}

func (s server) Shutdown(soon context.Context) error { return s.app.ShutdownWithContext(soon) }
