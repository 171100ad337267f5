%% A process that sends one request after the other to a collection.
-module(requester).

-export([start/4]).

%% `Request` makes a request of a kind, from 0 to 99, and a key.
start(#{seed := Seed, amount := Amount}, I, Collection, Request) ->
    task:start(fun() -> wait(Seed + I, Amount, Collection, Request) end).

wait(Random, Amount, Collection, Request) ->
    receive
        start ->
            counts:add(messages), % tick
            request(Random, Amount, Collection, Request)
    end.

request(_, 0, Collection, _) ->
    Collection ! ended,
    0;
request(Random, Left, Collection, Request) ->
    Kind = savina:next(Random),
    Key = savina:next(Kind),
    Collection ! {Request(Kind rem 100, Key), self()},
    receive
        {result, _} ->
            counts:add(messages), % tick
            request(Key, Left - 1, Collection, Request)
    end.
