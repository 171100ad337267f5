%% Turns from one supply: concurrency/fairness/contract.md.
-module(fairness).
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1]).

-define(MASK_64, 16#ffffffffffffffff).

main() -> harness:main(?MODULE, [tasks, turns]).

load(Options) ->
    {options:numbers(Options, [seed, tasks, turns, turn_us]), recorder:new(Options, index)}.

run({[Seed, Tasks, Turns, TurnUs], Index}) ->
    Program = self(),
    Supply = {atomics:new(1, []), Turns, TurnUs * 1000, Seed + Tasks},
    Start = fun(I) -> task:start(fun() -> wait(Program, Seed + I, Supply) end) end,
    Waiting = lists:map(Start, lists:seq(0, Tasks - 1)),
    lists:foreach(fun(_) -> begun() end, Waiting),
    lists:foreach(fun(Task) -> Task ! open end, Waiting),
    {Sums, Taken} = lists:unzip(task:ended(Tasks)),
    recorder:record(Index, jain(Taken)),
    lists:sum(Sums) band ?MASK_64.

begun() ->
    receive
        begun -> ok
    end.

wait(Program, Seed, Supply) ->
    Program ! begun,
    receive
        open -> ok
    end,
    {Sum, _} = splitmix64:next(Seed),
    counts:add(tasks), % tick
    spin(Supply, Sum, 0).

%% Takes turns until there is none left; gives the sum and their number.
spin(Supply = {Next, Turns, TurnNs, Seed}, Sum, Taken) ->
    case atomics:add_get(Next, 1, 1) - 1 of
        K when K >= Turns ->
            {Sum, Taken};
        K ->
            BeganNs = harness:now_ns(),
            {Y, _} = splitmix64:next(Seed + K),
            counts:add(turns), % tick
            until(BeganNs + TurnNs),
            spin(Supply, (Sum + Y) band ?MASK_64, Taken + 1)
    end.

until(EndNs) ->
    case harness:now_ns() >= EndNs of
        true -> ok;
        false -> until(EndNs)
    end.

%% Jain's index of the turns, in thousandths.
jain(Taken) ->
    Squares = lists:sum([Turns * Turns || Turns <- Taken]),
    1000 * lists:sum(Taken) * lists:sum(Taken) div (length(Taken) * Squares).

digest(Sum) -> fnv1a:of_numbers([Sum]).
