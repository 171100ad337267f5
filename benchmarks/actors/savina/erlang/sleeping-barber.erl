%% Customers wait in a room for a barber, who sleeps when it is empty.
-module('sleeping-barber').

-export([start/1]).

-define(COST, 100).

start(#{seed := Seed, amount := Amount}) ->
    Factory = task:start(fun() -> factory(Amount) end),
    Barber = task:start(fun() -> barber(Seed, Factory) end),
    Room = task:start(fun() -> room(queue:new(), true, Barber) end),
    Customers = [task:start(fun customer/0) || _ <- lists:seq(1, Amount)],
    Factory ! {start, Customers, Room, Barber},
    3 + Amount.

%% Sends the customers, and knows when all are back.
factory(Amount) ->
    receive
        {start, Customers, Room, Barber} ->
            counts:add(messages), % tick
            [Room ! {enter, Customer} || Customer <- Customers],
            factory(Amount, Room, Barber)
    end.

factory(0, Room, Barber) ->
    Room ! stop,
    Barber ! stop,
    0;
factory(Left, Room, Barber) ->
    receive
        home ->
            counts:add(messages), % tick
            factory(Left - 1, Room, Barber)
    end.

room(Waiting, Sleeps, Barber) ->
    receive
        {enter, Customer} when Sleeps ->
            counts:add(messages), % tick
            serve(queue:in(Customer, Waiting), Barber);
        {enter, Customer} ->
            counts:add(messages), % tick
            room(queue:in(Customer, Waiting), Sleeps, Barber);
        next ->
            counts:add(messages), % tick
            serve(Waiting, Barber);
        stop ->
            counts:add(messages), % tick
            0
    end.

serve(Waiting, Barber) ->
    case queue:out(Waiting) of
        {{value, Customer}, Others} ->
            Barber ! {cut, Customer, self()},
            room(Others, false, Barber);
        {empty, _} ->
            room(Waiting, true, Barber)
    end.

barber(X, Home) ->
    receive
        {cut, Customer, Room} ->
            counts:add(messages), % tick
            Customer ! {cutting, Home},
            Worked = savina:next(X, ?COST),
            Room ! next, % before `finished`, so the room receives it before `stop`
            Customer ! {finished, Worked},
            barber(Worked, Home);
        stop ->
            counts:add(messages), % tick
            X
    end.

customer() ->
    receive
        {cutting, Home} ->
            counts:add(messages), % tick
            customer(Home)
    end.

customer(Home) ->
    receive
        {finished, X} ->
            counts:add(messages), % tick
            Home ! home,
            X
    end.
