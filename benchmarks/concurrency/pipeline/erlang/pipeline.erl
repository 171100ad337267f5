%% Values through a chain of processes: concurrency/pipeline/contract.md.
-module(pipeline).
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_32, 16#ffffffff).

main() -> harness:main(?MODULE, [hops]).

load(Options) ->
    Numbers = options:numbers(Options, [seed, stages, values, capacity]),
    {list_to_atom(options:text(Options, workload)), Numbers, recorder:new(Options, hops)}.

run({Workload, [Seed, Stages, Values, Capacity], Hops}) ->
    Source = task:start(fun() ->
        To = next(),
        all_begun(Stages + 1),
        StartedNs = harness:now_ns(),
        source(Workload, To, Seed, Values, Capacity),
        {started, StartedNs}
    end),
    Start = fun(Number, Previous) ->
        Stage = task:start(fun() ->
            Source ! begun,
            stage(Workload, next(), Number, Values, Capacity)
        end),
        Previous ! {next, Stage},
        Stage
    end,
    Last = lists:foldl(Start, Source, lists:seq(1, Stages)),
    % Not this process, whose mailbox also holds a message of each task that has ended.
    Sink = task:start(fun() ->
        Source ! begun,
        Sum = sink(Workload, Values, 0),
        {ended, harness:now_ns(), Sum}
    end),
    Last ! {next, Sink},
    Results = task:ended(Stages + 2),
    {started, StartedNs} = lists:keyfind(started, 1, Results),
    {ended, EndedNs, Sum} = lists:keyfind(ended, 1, Results),
    recorder:record(Hops, (EndedNs - StartedNs) * 1000 div (Values * (Stages + 1))),
    Sum.

%% The process whose mailbox is the channel to send to.
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

source(_, _, _, 0, _) ->
    ok;
source(Workload, To, X, Values, Room) ->
    Left = send(Workload, To, X band ?MASK_32, Room),
    source(Workload, To, X + 1, Values - 1, Left).

stage(_, _, _, 0, _) ->
    ok;
stage(Workload, To, Number, Values, Room) ->
    {X, Free} = take(Workload, Room),
    counts:add(hops), % tick
    Left = send(Workload, To, (X * 1664525 + Number) band ?MASK_32, Free),
    stage(Workload, To, Number, Values - 1, Left).

sink(_, 0, Sum) ->
    Sum;
sink(Workload, Values, Sum) ->
    {X, _} = take(Workload, 0),
    counts:add(hops), % tick
    sink(Workload, Values - 1, (Sum * 31 + X) band ?MASK_32).

%% Gives the room that is left in the channel, as far as the sender has been told.
send(bounded, To, X, 0) ->
    receive
        taken -> send(bounded, To, X, 1)
    end;
send(bounded, To, X, Room) ->
    To ! {value, self(), X},
    Room - 1;
send(rendezvous, To, X, Room) ->
    To ! {value, self(), X},
    receive
        taken -> Room
    end;
send(unbounded, To, X, Room) ->
    To ! {value, self(), X},
    Room.

%% Gives a value, and the room in the channel to the next process. Takes acknowledgements as they
%% come, so that no `receive` has to pass over them to find a value.
take(Workload, Room) ->
    receive
        {value, _, X} when Workload =:= unbounded ->
            {X, Room};
        {value, From, X} ->
            From ! taken,
            {X, Room};
        taken ->
            take(Workload, Room + 1)
    end.

digest(Sum) -> fnv1a:digest(io_lib:format("~8.16.0b~n", [Sum])).
