%% The benchmark's counters. A tick is a line `counts:add(NAME), % tick` (contract.md, "Ticks").
-module(counts).

-export([declare/1, add/1, all/0]).

declare(Names) ->
    [persistent_term:put({?MODULE, Name}, counters:new(1, [])) || Name <- Names],
    persistent_term:put(?MODULE, Names).

%% Counts one operation, in whichever process: the addition is atomic.
add(Name) -> counters:add(persistent_term:get({?MODULE, Name}), 1, 1).

all() ->
    Names = persistent_term:get(?MODULE),
    Counted = fun(Name) -> counters:get(persistent_term:get({?MODULE, Name}), 1) end,
    maps:from_list([{Name, Counted(Name)} || Name <- Names]).
