// Package domain is what the web tests read and write, whatever the framework.
package domain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	most       = 10000
	reachLimit = 10 * time.Second

	readRow      = "SELECT id, randomnumber FROM world WHERE id = $1"
	writeRows    = "UPDATE world SET randomnumber = v.r FROM unnest($1::int[], $2::int[]) v(i, r) WHERE id = v.i"
	readFortunes = "SELECT id, message FROM fortune"
	added        = "Additional fortune added at request time."
)

// World is a row of the table world.
type World struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

// Fortune is a row of the table fortune.
type Fortune struct {
	ID      int32
	Message string
}

// Database is the tables, through a pool of connections.
type Database struct {
	pool *pgxpool.Pool
}

// unhurried is the context of all queries. A request's own context would do unequal work: that of
// net/http has pgx watch whether the client leaves, that of Fiber never ends, and that of fasthttp
// ends when the server begins to stop, although the request is still to be answered.
var unhurried = context.Background()

// openDatabase returns with the first connection open.
func openDatabase(url string, connections int) (*Database, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL takes postgresql://USER[:PASSWORD]@HOST:PORT/NAME")
	}
	config.MaxConns = int32(connections)
	soon, cancel := context.WithTimeout(context.Background(), reachLimit)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(soon, config)
	if err == nil {
		err = pool.Ping(soon)
	}
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL cannot be reached: %q", err.Error())
	}
	return &Database{pool}, nil
}

// close closes all connections.
func (d *Database) close() {
	d.pool.Close()
}

func drawn() int32 { return rand.Int32N(most) + 1 }

// Random reads one row, by a statement that pgx prepares once a connection.
func (d *Database) Random() (World, error) {
	var row World
	err := d.pool.QueryRow(unhurried, readRow, drawn()).Scan(&row.ID, &row.RandomNumber)
	return row, err
}

// RandomRows reads rows one after another, on one connection.
func (d *Database) RandomRows(count int) ([]World, error) {
	connection, err := d.pool.Acquire(unhurried)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	return read(connection, count)
}

func read(connection *pgxpool.Conn, count int) ([]World, error) {
	rows := make([]World, count)
	for i := range rows {
		row := &rows[i]
		err := connection.QueryRow(unhurried, readRow, drawn()).Scan(&row.ID, &row.RandomNumber)
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Update reads rows, changes them, and writes them in the order of their ids, so that concurrent
// updates lock rows in the same order.
func (d *Database) Update(count int) ([]World, error) {
	connection, err := d.pool.Acquire(unhurried)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	rows, err := read(connection, count)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b World) int { return cmp.Compare(a.ID, b.ID) })
	ids, numbers := make([]int32, count), make([]int32, count)
	for i := range rows {
		rows[i].RandomNumber = drawn()
		ids[i], numbers[i] = rows[i].ID, rows[i].RandomNumber
	}
	_, err = connection.Exec(unhurried, writeRows, ids, numbers)
	return rows, err
}

// Fortunes are the rows and the added one, sorted by message.
func (d *Database) Fortunes() ([]Fortune, error) {
	found, err := d.pool.Query(unhurried, readFortunes)
	if err != nil {
		return nil, err
	}
	rows, err := pgx.CollectRows(found, pgx.RowToStructByPos[Fortune])
	rows = append(rows, Fortune{0, added})
	slices.SortFunc(rows, func(a, b Fortune) int { return cmp.Compare(a.Message, b.Message) })
	return rows, err
}
