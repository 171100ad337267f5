%% A process for each piece of work: concurrency/spawn-or-worker/contract.md.
-module('spawn-or-worker').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_64, 16#ffffffffffffffff).

main() -> harness:main(?MODULE, [rounds, tasks]).

load(Options) ->
    {options:numbers(Options, [seed, tasks, rounds, at_once]), recorder:new(Options, tasks)}.

run({[Seed, Tasks, Rounds, AtOnce], Recorder}) ->
    StartedNs = harness:now_ns(),
    Wave = fun(First) -> wave(First, min(First + AtOnce, Tasks) - 1, Seed, Rounds) end,
    Waves = [Wave(First) || First <- lists:seq(0, Tasks - 1, AtOnce)],
    recorder:record(Recorder, (harness:now_ns() - StartedNs) * 1000 div Tasks),
    Waves.

wave(First, Last, Seed, Rounds) ->
    Pieces = lists:seq(First, Last),
    [start(I, (Seed + I) band ?MASK_64, Rounds) || I <- Pieces],
    task:ended(length(Pieces)).

start(I, Seed, Rounds) -> task:start(fun() -> {I, compute(Seed, Rounds)} end).

compute(Seed, Rounds) ->
    counts:add(tasks), % tick
    draw(Seed, Rounds, Seed).

draw(_, 0, X) ->
    X;
draw(State, Rounds, X) ->
    {Number, Next} = splitmix64:next(State),
    counts:add(rounds), % tick
    draw(Next, Rounds - 1, X bxor Number).

digest(Waves) -> fnv1a:of_numbers([X || {_, X} <- lists:sort(lists:append(Waves))]).
