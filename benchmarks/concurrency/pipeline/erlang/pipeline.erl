%% Values through a chain of processes: concurrency/pipeline/contract.md.
-module(pipeline).
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(CAPACITY, 64).
-define(MASK_32, 16#ffffffff).

main() -> harness:main(?MODULE, [hops]).

load(Options) ->
    Numbers = options:numbers(Options, [seed, stages, values]),
    {list_to_atom(options:text(Options, workload)), Numbers, recorder:new(Options, hops)}.

run({Workload, [Seed, Stages, Values], Hops}) ->
    StartedNs = harness:now_ns(),
    Source = task:start(fun() -> source(Workload, next(), Seed, Values, ?CAPACITY) end),
    Start = fun(Number, Previous) ->
        Stage = task:start(fun() -> stage(Workload, next(), Number, Values, ?CAPACITY) end),
        Previous ! {next, Stage},
        Stage
    end,
    Last = lists:foldl(Start, Source, lists:seq(1, Stages)),
    Last ! {next, self()},
    Sum = sink(Workload, Values, 0),
    task:ended(Stages + 1),
    recorder:record(Hops, (harness:now_ns() - StartedNs) * 1000 div (Values * (Stages + 1))),
    Sum.

%% The process whose mailbox is the channel to send to.
next() ->
    receive
        {next, Next} -> Next
    end.

source(_, _, _, 0, _) ->
    ok;
source(Workload, To, X, Values, Room) ->
    Left = send(Workload, To, X band ?MASK_32, Room),
    source(Workload, To, X + 1, Values - 1, Left).

stage(_, _, _, 0, _) ->
    ok;
stage(Workload, To, Number, Values, Room) ->
    X = take(Workload),
    counts:add(hops), % tick
    Left = send(Workload, To, (X * 1664525 + Number) band ?MASK_32, Room),
    stage(Workload, To, Number, Values - 1, Left).

sink(_, 0, Sum) ->
    Sum;
sink(Workload, Values, Sum) ->
    X = take(Workload),
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

take(Workload) ->
    receive
        {value, From, X} when Workload =/= unbounded ->
            From ! taken,
            X;
        {value, _, X} ->
            X
    end.

digest(Sum) -> fnv1a:digest(io_lib:format("~8.16.0b~n", [Sum])).
