%% A tree of processes: concurrency/fan-out/contract.md.
-module('fan-out').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_64, 16#ffffffffffffffff).

main() -> harness:main(?MODULE, [tasks]).

load(Options) ->
    {options:numbers(Options, [seed, degree, depth]), recorder:new(Options, tasks)}.

run({[Seed, Degree, Depth], Recorder}) ->
    StartedNs = harness:now_ns(),
    task:start(fun() -> grow(0, Depth, Degree, Seed) end),
    Sum = task:ended(),
    Tasks = lists:foldl(fun(_, Above) -> Above * Degree + 1 end, 1, lists:seq(1, Depth)),
    recorder:record(Recorder, (harness:now_ns() - StartedNs) * 1000 div Tasks),
    Sum.

grow(I, Levels, Degree, Seed) ->
    {X, _} = splitmix64:next(Seed + I),
    counts:add(tasks), % tick
    (X + children(I, Levels, Degree, Seed)) band ?MASK_64.

children(_, 0, _, _) ->
    0;
children(I, Levels, Degree, Seed) ->
    [start(I * Degree + N, Levels - 1, Degree, Seed) || N <- lists:seq(1, Degree)],
    lists:sum(task:ended(Degree)).

start(I, Levels, Degree, Seed) -> task:start(fun() -> grow(I, Levels, Degree, Seed) end).

digest(Sum) -> fnv1a:of_numbers([Sum]).
