%% Memory of processes that wait: concurrency/memory-per-task/contract.md.
-module('memory-per-task').
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_64, 16#ffffffffffffffff).

main() -> harness:main(?MODULE, [tasks]).

load(Options) -> {options:numbers(Options, [seed, tasks]), recorder:new(Options, bytes)}.

run({[Seed, Tasks], Bytes}) ->
    Before = resident_bytes(),
    Program = self(),
    Waiting = [task:start(fun() -> wait(Seed + I, Program) end) || I <- lists:seq(0, Tasks - 1)],
    lists:foreach(fun(_) -> begun() end, Waiting),
    After = resident_bytes(),
    lists:foreach(fun(Task) -> Task ! open end, Waiting),
    Sum = lists:sum(task:ended(Tasks)) band ?MASK_64,
    recorder:record(Bytes, (After - Before) div Tasks),
    Sum.

wait(Seed, Program) ->
    {X, _} = splitmix64:next(Seed),
    Program ! begun,
    receive
        open -> ok
    end,
    counts:add(tasks), % tick
    X.

begun() ->
    receive
        begun -> ok
    end.

resident_bytes() ->
    {ok, Memory} = file:read_file("/proc/self/smaps_rollup"),
    {match, [Kibibytes]} = re:run(Memory, "\nRss: +(\\d+)", [{capture, [1], list}]),
    list_to_integer(Kibibytes) * 1024.

digest(Sum) -> fnv1a:of_numbers([Sum]).
