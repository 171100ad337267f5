%% Recorders of distributions, in the cells of an HdrHistogram (contract.md, "Distributions").
%%
%% Files cannot be mapped here: a process writes the counts of each, several times a second.
-module(recorder).

-export([new/2, record/2, cell/1, start_iteration/1, samples/0]).

-define(CELLS, 38_912).
-define(MOST, 16#7fffffffffff).
-define(WRITE_INTERVAL_MS, 250).

%% A recorder of one of the benchmark's distributions; `main` makes them while it loads.
new(Options, Distribution) ->
    Path = filename:join(options:text(Options, samples), atom_to_list(Distribution) ++ ".counts"),
    Counts = counters:new(?CELLS, []),
    Write = fun() -> keep_writing(Path, Counts) end,
    Writer = spawn_opt(Write, [link, {priority, high}]), % does not wait for busy processes
    put(?MODULE, all() ++ [{Distribution, Counts, Writer}]),
    Counts.

%% Counts a value, in whichever process.
record(Counts, Value) -> counters:add(Counts, 1 + cell(Value), 1).

cell(Value) when Value < 0 -> 0;
cell(Value) when Value > ?MOST -> cell(?MOST);
cell(Value) -> cell(Value, 0).

cell(Value, Shift) when Value < 2048 -> (Shift bsl 10) + Value;
cell(Value, Shift) when Value >= 2048 bsl 8 -> cell(Value bsr 8, Shift + 8);
cell(Value, Shift) -> cell(Value bsr 1, Shift + 1).

%% Sets all counts to 0, in the files too.
start_iteration(Index) ->
    lists:foreach(fun({_, Counts, Writer}) -> begin_with(Index, Counts, Writer) end, all()).

begin_with(Index, Counts, Writer) ->
    [counters:put(Counts, 1 + Cell, 0) || [Cell, _] <- cells(Counts, ?CELLS, [])],
    Writer ! {iteration, Index, self()},
    receive
        {written, Writer} -> ok
    end.

%% Of each distribution the cells that hold any, and how many.
samples() ->
    [{Name, lists:append(cells(Counts, ?CELLS, []))} || {Name, Counts, _} <- all()].

cells(_, 0, Found) ->
    Found;
cells(Counts, Place, Found) ->
    case counters:get(Counts, Place) of
        0 -> cells(Counts, Place - 1, Found);
        Count -> cells(Counts, Place - 1, [[Place - 1, Count] | Found])
    end.

all() ->
    case get(?MODULE) of
        undefined -> [];
        Recorders -> Recorders
    end.

keep_writing(Path, Counts) ->
    {ok, File} = file:open(Path, [write, raw, binary]),
    keep_writing(File, Counts, 0).

keep_writing(File, Counts, Index) ->
    receive
        {iteration, Next, Program} ->
            ok = file:pwrite(File, 0, <<Next:64/little, 0:(?CELLS * 64)>>),
            Program ! {written, self()},
            keep_writing(File, Counts, Next)
    after ?WRITE_INTERVAL_MS ->
        write(File, Counts, Index),
        keep_writing(File, Counts, Index)
    end.

write(File, Counts, Index) ->
    Numbers = <<<<(counters:get(Counts, Place)):64/little>> || Place <- lists:seq(1, ?CELLS)>>,
    ok = file:pwrite(File, 0, [<<Index:64/little>>, Numbers]).
