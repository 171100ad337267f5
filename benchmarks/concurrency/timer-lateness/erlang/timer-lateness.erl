%% A ticker beside processes that compute: concurrency/timer-lateness/contract.md.
-module('timer-lateness').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

main() -> harness:main(?MODULE, [rounds, burners, yields, timers]).

load(Options) ->
    Numbers = options:numbers(Options, [seed, burners, rounds, period_us]),
    {Numbers, yield_rounds(Options), timers(Options), recorder:new(Options, lateness)}.

%% Of a burner that never yields: more than all.
yield_rounds(#{"workload" := "yielding"} = Options) -> options:number(Options, yield_rounds);
yield_rounds(_) -> infinity.

%% Those that fire once; 0 if there is a ticker.
timers(#{"workload" := "one-shot"} = Options) -> options:number(Options, timers);
timers(_) -> 0.

run({[Seed, Burners, Rounds, PeriodUs], YieldRounds, Timers, Lateness}) ->
    StartedNs = harness:now_ns(),
    PeriodNs = PeriodUs * 1000,
    Running = atomics:new(1, []),
    atomics:put(Running, 1, Burners),
    Ticking = [
        task:start(fun() -> ticker(StartedNs + PeriodNs, PeriodNs, Running, Lateness) end)
     || Timers =:= 0
    ],
    [start(I, Seed + I, Rounds, YieldRounds, Running) || I <- lists:seq(0, Burners - 1)],
    [start_timer(harness:now_ns() + PeriodNs, Lateness) || _ <- lists:seq(1, Timers)],
    task:ended(length(Ticking) + Burners + Timers).

start(I, Seed, Rounds, YieldRounds, Running) ->
    task:start(fun() ->
        X = burn(Seed, Rounds, YieldRounds),
        atomics:sub(Running, 1, 1),
        {I, X}
    end).

start_timer(DueNs, Lateness) -> task:start(fun() -> fire(DueNs, Lateness) end).

%% A timer that fires once.
fire(DueNs, Lateness) ->
    NowNs = sleep_until(DueNs),
    case NowNs < DueNs of
        true ->
            fire(DueNs, Lateness);
        false ->
            recorder:record(Lateness, NowNs - DueNs),
            counts:add(timers), % tick
            timer
    end.

%% Gives the time when it wakes.
sleep_until(DueNs) ->
    receive
    after milliseconds_until(DueNs) -> harness:now_ns()
    end.

ticker(DueNs, PeriodNs, Running, Lateness) ->
    NowNs = sleep_until(DueNs),
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

burn(Seed, Rounds, YieldRounds) ->
    counts:add(burners), % tick
    burn(Seed, Rounds, YieldRounds, 0).

burn(State, Rounds, YieldRounds, X) when Rounds >= YieldRounds ->
    {Next, Drawn} = draw(State, YieldRounds, X),
    counts:add(yields), % tick
    erlang:yield(),
    burn(Next, Rounds - YieldRounds, YieldRounds, Drawn);
burn(State, Rounds, _, X) ->
    {_, Drawn} = draw(State, Rounds, X),
    Drawn.

draw(State, 0, X) ->
    {State, X};
draw(State, Rounds, X) ->
    {Number, Next} = splitmix64:next(State),
    counts:add(rounds), % tick
    draw(Next, Rounds - 1, X bxor Number).

digest(Results) -> fnv1a:of_numbers([X || {_, X} <- lists:sort(Results)]).
