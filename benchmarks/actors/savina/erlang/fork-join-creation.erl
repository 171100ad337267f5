%% Many processes are made for one message each.
-module('fork-join-creation').

-export([start/1]).

start(#{seed := Seed, actors := Actors}) ->
    [task:start(fun() -> worker(Seed + I) end) ! work || I <- lists:seq(0, Actors - 1)],
    Actors.

worker(X) ->
    receive
        work ->
            counts:add(messages), % tick
            savina:next(X)
    end.
