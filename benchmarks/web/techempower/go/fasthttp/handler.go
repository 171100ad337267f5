package main

import (
	"encoding/json"
	"log"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
	"techempower/domain"
)

func newHandler(database *domain.Database) fasthttp.RequestHandler {
	routes := router.New()
	routes.GET("/plaintext", func(request *fasthttp.RequestCtx) {
		request.SetContentType("text/plain")
		request.SetBodyString(domain.Greeting)
	})
	routes.GET("/json", func(request *fasthttp.RequestCtx) {
		sendJSON(request, domain.Message{Message: domain.Greeting}, nil)
	})
	routes.GET("/db", func(request *fasthttp.RequestCtx) {
		row, err := database.Random()
		sendJSON(request, row, err)
	})
	routes.GET("/queries", rows(database.RandomRows))
	routes.GET("/updates", rows(database.Update))
	routes.GET("/fortunes", func(request *fasthttp.RequestCtx) {
		fortunes, err := database.Fortunes()
		if err == nil {
			request.SetContentType("text/html; charset=utf-8")
			err = domain.WritePage(request, fortunes)
		}
		if err != nil {
			fail(request, err)
		}
	})
	return routes.Handler
}

// rows answers with as many rows as the request asks for.
func rows(read func(int) ([]domain.World, error)) fasthttp.RequestHandler {
	return func(request *fasthttp.RequestCtx) {
		found, err := read(domain.Count(string(request.QueryArgs().Peek("queries"))))
		sendJSON(request, found, err)
	}
}

func sendJSON(request *fasthttp.RequestCtx, value any, err error) {
	var body []byte
	if err == nil {
		body, err = json.Marshal(value)
	}
	if err != nil {
		fail(request, err)
		return
	}
	request.SetContentType("application/json")
	request.SetBody(body)
}

func fail(request *fasthttp.RequestCtx, err error) {
	log.Print(err)
	request.Error("internal error", fasthttp.StatusInternalServerError)
}
