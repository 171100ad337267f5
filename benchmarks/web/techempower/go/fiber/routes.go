package main

import (
	"log"

	"github.com/gofiber/fiber/v3"
	"techempower/domain"
)

func newApp(database *domain.Database) *fiber.App {
	app := fiber.New(fiber.Config{
		ServerHeader: "fiber",
		IdleTimeout:  domain.KeepAlive,
		ErrorHandler: fail,
	})
	app.Get("/plaintext", func(c fiber.Ctx) error {
		return c.SendString(domain.Greeting)
	})
	app.Get("/json", func(c fiber.Ctx) error {
		return c.JSON(domain.Message{Message: domain.Greeting})
	})
	app.Get("/db", func(c fiber.Ctx) error {
		row, err := database.Random()
		if err != nil {
			return err
		}
		return c.JSON(row)
	})
	app.Get("/queries", rows(database.RandomRows))
	app.Get("/updates", rows(database.Update))
	app.Get("/fortunes", func(c fiber.Ctx) error {
		fortunes, err := database.Fortunes()
		if err != nil {
			return err
		}
		return domain.WritePage(c.Type("html", "utf-8"), fortunes)
	})
	return app
}

// rows answers with as many rows as the request asks for.
func rows(read func(int) ([]domain.World, error)) fiber.Handler {
	return func(c fiber.Ctx) error {
		found, err := read(domain.Count(c.Query("queries")))
		if err != nil {
			return err
		}
		return c.JSON(found)
	}
}

func fail(c fiber.Ctx, err error) error {
	log.Print(err)
	return c.Status(fiber.StatusInternalServerError).SendString("internal error")
}
