%% A token goes around a ring of processes.
-module('thread-ring').

-export([start/1]).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Start = fun(I) -> task:start(fun() -> node(I, Actors) end) end,
    Ring = [First | Others] = lists:map(Start, lists:seq(0, Actors - 1)),
    lists:zipwith(fun(Node, Next) -> Node ! {next, Next} end, Ring, Others ++ [First]),
    First ! {token, Amount, Seed},
    Actors.

node(I, Actors) ->
    receive
        {next, Next} ->
            counts:add(messages), % tick
            node(I, Actors, Next)
    end.

node(I, Actors, Next) ->
    receive
        {token, 0, X} ->
            counts:add(messages), % tick
            Next ! {stop, Actors - 1},
            computed(X, I);
        {token, Left, X} ->
            counts:add(messages), % tick
            Next ! {token, Left - 1, computed(X, I)},
            node(I, Actors, Next);
        {stop, 1} ->
            counts:add(messages), % tick
            0;
        {stop, Left} ->
            counts:add(messages), % tick
            Next ! {stop, Left - 1},
            0
    end.

computed(X, I) -> (savina:next(X) + I) band 65535.
