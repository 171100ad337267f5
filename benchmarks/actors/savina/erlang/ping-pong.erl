%% A number goes to and fro between two processes.
-module('ping-pong').

-export([start/1]).

start(#{seed := Seed, amount := Amount}) ->
    Pong = task:start(fun pong/0),
    Ping = task:start(fun() -> ping(Seed, Amount) end),
    Ping ! {start, Pong},
    2.

ping(Seed, Amount) ->
    receive
        {start, Pong} ->
            counts:add(messages), % tick
            Pong ! {number, Seed, self()},
            ping(Seed, Amount, Pong)
    end.

ping(_, Left, Pong) ->
    receive
        {number, X} when Left > 1 ->
            counts:add(messages), % tick
            Pong ! {number, X, self()},
            ping(X, Left - 1, Pong);
        {number, X} ->
            counts:add(messages), % tick
            Pong ! stop,
            X
    end.

pong() ->
    receive
        {number, X, Ping} ->
            counts:add(messages), % tick
            Ping ! {number, savina:next(X)},
            pong();
        stop ->
            counts:add(messages), % tick
            0
    end.
