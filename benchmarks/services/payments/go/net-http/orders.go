package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"payments/domain"
)

const reachLimit = 10 * time.Second

// orders are those of the database, through a pool of connections.
type orders struct {
	pool *pgxpool.Pool
}

// openOrders returns with the first connection open.
func openOrders(database string, connections int) (*orders, error) {
	config, err := pgxpool.ParseConfig(database)
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
	return &orders{pool}, nil
}

// find reads one row, by a statement that pgx prepares once a connection.
func (o *orders) find(ctx context.Context, id int64) (*domain.Order, error) {
	var order domain.Order
	err := o.pool.QueryRow(ctx, domain.Query, id).
		Scan(&order.ID, &order.Customer, &order.Status, &order.Amount, &order.Note)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoOrder
	}
	if err != nil {
		return nil, err
	}
	return &order, nil
}

func (o *orders) close() {
	o.pool.Close()
}
