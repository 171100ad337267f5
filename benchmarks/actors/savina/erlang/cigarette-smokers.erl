%% An arbiter lets one smoker after the other begin to smoke.
-module('cigarette-smokers').

-export([start/1]).

-define(COST, 50).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Start = fun(I) -> task:start(fun() -> smoker(Seed + I) end) end,
    Smokers = lists:map(Start, lists:seq(0, Actors - 1)),
    Arbiter = task:start(fun() -> arbiter(Seed, Amount) end),
    Arbiter ! {start, Smokers},
    1 + Actors.

arbiter(Random, Amount) ->
    receive
        {start, Smokers} ->
            counts:add(messages), % tick
            choose(Random, Amount, list_to_tuple(Smokers))
    end.

choose(_, 0, Smokers) ->
    [Smoker ! stop || Smoker <- tuple_to_list(Smokers)],
    0;
choose(Random, Left, Smokers) ->
    Next = savina:next(Random),
    element(Next rem tuple_size(Smokers) + 1, Smokers) ! {smoke, Next, self()},
    receive
        started ->
            counts:add(messages), % tick
            choose(Next, Left - 1, Smokers)
    end.

smoker(X) ->
    receive
        {smoke, Period, Arbiter} ->
            counts:add(messages), % tick
            Arbiter ! started,
            smoker(savina:next(X + Period, ?COST));
        stop ->
            counts:add(messages), % tick
            X
    end.
