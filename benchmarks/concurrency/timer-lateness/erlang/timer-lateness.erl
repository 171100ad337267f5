%% A ticker beside processes that compute: concurrency/timer-lateness/contract.md.
-module('timer-lateness').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

main() -> harness:main(?MODULE, [rounds, burners]).

load(Options) ->
    Numbers = options:numbers(Options, [seed, burners, rounds, period_us]),
    {Numbers, recorder:new(Options, lateness)}.

run({[Seed, Burners, Rounds, PeriodUs], Lateness}) ->
    StartedNs = harness:now_ns(),
    PeriodNs = PeriodUs * 1000,
    Running = atomics:new(1, []),
    atomics:put(Running, 1, Burners),
    task:start(fun() -> ticker(StartedNs + PeriodNs, PeriodNs, Running, Lateness) end),
    [start(I, Seed + I, Rounds, Running) || I <- lists:seq(0, Burners - 1)],
    task:ended(Burners + 1).

start(I, Seed, Rounds, Running) ->
    task:start(fun() ->
        X = burn(Seed, Rounds),
        atomics:sub(Running, 1, 1),
        {I, X}
    end).

ticker(DueNs, PeriodNs, Running, Lateness) ->
    receive
    after milliseconds_until(DueNs) -> ok
    end,
    NowNs = harness:now_ns(),
    Ended = atomics:get(Running, 1) =:= 0,
    NextNs = record_ticks(DueNs, PeriodNs, NowNs, Lateness),
    Ended orelse ticker(NextNs, PeriodNs, Running, Lateness).

%% Rounded up: an ordinary timer counts whole milliseconds.
milliseconds_until(DueNs) -> max(0, DueNs - harness:now_ns() + 999_999) div 1_000_000.

%% Gives the time when the next tick is due.
record_ticks(DueNs, PeriodNs, NowNs, Lateness) when DueNs =< NowNs ->
    recorder:record(Lateness, NowNs - DueNs),
    record_ticks(DueNs + PeriodNs, PeriodNs, NowNs, Lateness);
record_ticks(DueNs, _, _, _) ->
    DueNs.

burn(Seed, Rounds) ->
    counts:add(burners), % tick
    draw(Seed, Rounds, 0).

draw(_, 0, X) ->
    X;
draw(State, Rounds, X) ->
    {Number, Next} = splitmix64:next(State),
    counts:add(rounds), % tick
    draw(Next, Rounds - 1, X bxor Number).

digest(Results) -> fnv1a:of_numbers([X || {_, X} <- lists:sort(Results)]).
