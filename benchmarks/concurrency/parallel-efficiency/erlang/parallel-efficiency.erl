%% Independent processes that compute: concurrency/parallel-efficiency/contract.md.
-module('parallel-efficiency').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

main() -> harness:main(?MODULE, [rounds, tasks]).

load(Options) -> options:numbers(Options, [seed, tasks, rounds]).

run([Seed, Tasks, Rounds]) ->
    [start(I, Seed + I, Rounds) || I <- lists:seq(0, Tasks - 1)],
    task:ended(Tasks).

start(I, Seed, Rounds) -> task:start(fun() -> {I, compute(Seed, Rounds)} end).

compute(Seed, Rounds) ->
    counts:add(tasks), % tick
    draw(Seed, Rounds, 0).

draw(_, 0, X) ->
    X;
draw(State, Rounds, X) ->
    {Number, Next} = splitmix64:next(State),
    counts:add(rounds), % tick
    draw(Next, Rounds - 1, X bxor Number).

digest(Results) -> fnv1a:of_numbers([X || {_, X} <- lists:sort(Results)]).
