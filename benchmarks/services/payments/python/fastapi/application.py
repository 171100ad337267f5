"""The application that answers requests."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import AsyncIterator, Callable, Optional

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException

from services.payments.python.fastapi.data import Data
from services.payments.python.fastapi.messages import (
    Amount,
    Choice,
    Order,
    OrderId,
    Payment,
    Receipt,
    Routing,
)
from services.payments.python.fastapi.orders import Orders
from services.payments.python.fastapi.pay import pay
from services.payments.python.fastapi.route import route


def application(data: Data, orders: Optional[Orders], ready: Callable[[], None]) -> FastAPI:
    """Makes the application. `ready` is called when its database is open, or immediately if it has
    none."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if orders is not None:
            await orders.open()
        ready()
        yield
        if orders is not None:
            await orders.close()

    app = FastAPI(lifespan=lifespan, openapi_url=None)

    @app.post("/pay/{amount}")
    async def post_pay(amount: Amount, payment: Payment) -> Receipt:
        return pay(data.records, amount, payment)

    @app.post("/route")
    async def post_route(routing: Routing) -> Choice:
        choice = route(data.processors, routing)
        if choice is None:
            raise HTTPException(404, "no processor")
        return choice

    @app.get("/order/{number}")
    async def get_order(number: OrderId) -> Order:
        if orders is None:
            raise HTTPException(503, "no database")
        order = await orders.find(number)
        if order is None:
            raise HTTPException(404, "no order")
        return order

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, __: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": "malformed request"}, 400)

    @app.exception_handler(StarletteHTTPException)
    async def failed(_: Request, failure: StarletteHTTPException) -> JSONResponse:
        return JSONResponse({"error": failure.detail}, failure.status_code)

    return app
