%% A ring of processes, each of which wakes the next: concurrency/wake-up/contract.md.
-module('wake-up').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_32, 16#ffffffff).

main() -> harness:main(?MODULE, [wakes]).

load(Options) ->
    {options:numbers(Options, [seed, tasks, rounds]), recorder:new(Options, latency)}.

run({[Seed, Tasks, Rounds], Latency}) ->
    Starter = self(),
    Start = fun(I) ->
        task:start(fun() ->
            Next = next(),
            Starter ! begun,
            sit(I, Tasks, Next, Rounds, Latency)
        end)
    end,
    [First | Others] = Ring = lists:map(Start, lists:seq(0, Tasks - 1)),
    lists:zipwith(fun(Task, Next) -> Task ! {next, Next} end, Ring, Others ++ [First]),
    all_begun(Tasks),
    wake(First, Seed band ?MASK_32),
    [X] = [X || {last, X} <- task:ended(Tasks)],
    X.

next() ->
    receive
        {next, Next} -> Next
    end.

%% Waits until so many tasks have begun.
all_begun(0) ->
    ok;
all_begun(Tasks) ->
    receive
        begun -> all_begun(Tasks - 1)
    end.

wake(Task, X) -> Task ! {wake, harness:now_ns(), X}.

sit(I, Tasks, Next, Rounds, Latency) ->
    receive
        {wake, SinceNs, X} ->
            recorder:record(Latency, harness:now_ns() - SinceNs),
            counts:add(wakes), % tick
            Computed = (X * 1664525 + I) band ?MASK_32,
            pass(Computed, I, Tasks, Next, Rounds, Latency)
    end.

%% In the last round the last task wakes nobody: the ring has ended with its x.
pass(X, I, Tasks, _, 1, _) when I =:= Tasks - 1 ->
    {last, X};
pass(X, I, Tasks, Next, Rounds, Latency) ->
    wake(Next, X),
    case Rounds of
        1 -> ended;
        _ -> sit(I, Tasks, Next, Rounds - 1, Latency)
    end.

digest(X) -> fnv1a:digest(io_lib:format("~8.16.0b~n", [X])).
