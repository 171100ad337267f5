%% Many processes get many messages each, in turn; each message is a little work.
-module('fork-join-throughput').

-export([start/1]).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Start = fun(I) -> task:start(fun() -> worker(Seed + I, Amount) end) end,
    Workers = lists:map(Start, lists:seq(0, Actors - 1)),
    send(Workers, Amount),
    Actors.

send(_, 0) ->
    done;
send(Workers, Left) ->
    [Worker ! work || Worker <- Workers],
    send(Workers, Left - 1).

worker(X, 0) ->
    X;
worker(X, Left) ->
    receive
        work ->
            counts:add(messages), % tick
            worker(savina:next(X), Left - 1)
    end.
