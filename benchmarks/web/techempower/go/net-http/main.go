// The web tests on net/http: benchmarks/web/techempower/contract.md.
package main

import (
	"net/http"

	"techempower/domain"
)

func main() {
	domain.Serve("net-http", func(database *domain.Database) domain.Server {
		return &http.Server{Handler: newHandler(database), IdleTimeout: domain.KeepAlive}
	})
}
