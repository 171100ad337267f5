%% Each of many processes sends pings to others at random, and waits for each answer.
-module(big).

-export([start/1]).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Node = fun(I) -> task:start(fun() -> node(I, Seed + I, Amount) end) end,
    Nodes = lists:map(Node, lists:seq(0, Actors - 1)),
    All = list_to_tuple(Nodes),
    Sink = task:start(fun() -> sink(Nodes, Actors, 0) end),
    [One ! {start, All, Sink} || One <- Nodes],
    Actors + 1.

node(I, Random, Amount) ->
    receive
        {start, All, Sink} ->
            counts:add(messages), % tick
            node(I, ping(Random, All), Amount, 0, All, Sink)
    end.

node(I, Random, Left, Sum, All, Sink) ->
    receive
        {ping, From} ->
            counts:add(messages), % tick
            From ! {pong, I},
            node(I, Random, Left, Sum, All, Sink);
        {pong, Number} when Left > 1 ->
            counts:add(messages), % tick
            node(I, ping(Random, All), Left - 1, Sum + Number, All, Sink);
        {pong, Number} ->
            counts:add(messages), % tick
            Sink ! {done, Sum + Number},
            node(I, Random, 0, Sum + Number, All, Sink);
        stop ->
            counts:add(messages), % tick
            0
    end.

ping(Random, All) ->
    Next = savina:next(Random),
    element(Next rem tuple_size(All) + 1, All) ! {ping, self()},
    Next.

sink(Nodes, 0, Sum) ->
    [Node ! stop || Node <- Nodes],
    Sum;
sink(Nodes, Left, Sum) ->
    receive
        {done, Found} ->
            counts:add(messages), % tick
            sink(Nodes, Left - 1, Sum + Found)
    end.
