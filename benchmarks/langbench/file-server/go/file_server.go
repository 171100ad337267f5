// File-server is the benchmark langbench/file-server (contract.md beside this
// folder): static files over HTTP/1.1, a goroutine a connection.
package main

import services "runfair/harness/services/go"

func main() {
	services.Serve("file-server", "standard", &server{})
}
