%% A tree of processes that is cancelled: concurrency/cancellation/contract.md.
-module(cancellation).
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_64, 16#ffffffffffffffff).

main() -> harness:main(?MODULE, [tasks]).

load(Options) ->
    {options:numbers(Options, [seed, degree, depth]), recorder:new(Options, latency)}.

run({[Seed, Degree, Depth], Latency}) ->
    Tree = {Seed, Degree, Latency, self()},
    Root = task:start(fun() -> grow(0, Depth, Tree) end),
    Tasks = lists:foldl(fun(_, Above) -> Above * Degree + 1 end, 1, lists:seq(1, Depth)),
    [begun() || _ <- lists:seq(1, Tasks)],
    exit(Root, {cancelled, harness:now_ns()}),
    task:ended().

begun() ->
    receive
        begun -> ok
    end.

%% A process that traps exits is told of its cancellation, and may end what it has started.
grow(I, Levels, Tree = {Seed, _, Latency, Program}) ->
    process_flag(trap_exit, true),
    Children = children(I, Levels, Tree),
    Program ! begun,
    receive
        {'EXIT', _, Cancelled = {cancelled, SinceNs}} ->
            recorder:record(Latency, harness:now_ns() - SinceNs),
            {X, _} = splitmix64:next(Seed + I),
            counts:add(tasks), % tick
            [exit(Child, Cancelled) || Child <- Children],
            lists:sum([X | task:ended(length(Children))]) band ?MASK_64
    end.

children(_, 0, _) -> [];
children(I, Levels, Tree = {_, Degree, _, _}) ->
    [start(I * Degree + N, Levels - 1, Tree) || N <- lists:seq(1, Degree)].

start(I, Levels, Tree) -> task:start(fun() -> grow(I, Levels, Tree) end).

digest(Sum) -> fnv1a:of_numbers([Sum]).
