%% Erlang's half of the program contract (benchmarks/contract.md).
-module(harness).

-export([main/2, now_ns/0]).

-define(WRITE_INTERVAL_NS, 100_000_000). % the contract's "at most ten times a second"
-define(RESOLUTION_NS, 10_000_000). % of the CPU clock: a tick of /proc/self/stat

-callback load(Options :: map()) -> State :: term().
-callback run(State :: term()) -> Answer :: term(). % alone is timed
-callback digest(Answer :: term()) -> non_neg_integer().

%% Carries out the contract's load, run and digest of `Program`, and ends the process. There is no
%% prepare: no value is ever changed.
main(Program, Counters) ->
    Options = options:given(atom_to_list(Program)),
    try
        measure(Program, Counters, Options)
    catch
        throw:{mistake, Text} ->
            io:format(standard_error, "~s: ~s~n", [Program, Text]),
            halt(2)
    end.

measure(Program, Counters, Options) ->
    StartedNs = now_ns(),
    output:add(start, start(Program, StartedNs)),
    counts:declare(Counters),
    Iterations = options:number(Options, iterations),
    LimitNs = options:limit_ns(Options),
    State = Program:load(Options),
    Ended = input_ended(Iterations),
    Goes = fun(Done) ->
        InTime = now_ns() - StartedNs < LimitNs,
        InTime andalso Done =/= Iterations andalso atomics:get(Ended, 1) =:= 0
    end,
    Done = iterate(Program, Options, State, Goes, 0, 0),
    output:add('end', [{iterations, Done}]),
    output:write(),
    halt(0).

%% Iterates as long as `Goes` says, once at least; gives the number of iterations.
iterate(Program, Options, State, Goes, Index, WrittenNs) ->
    NowNs = now_ns(),
    Due = NowNs - WrittenNs >= ?WRITE_INTERVAL_NS,
    Due andalso output:write(),
    iteration(Program, Options, State, Index),
    case Goes(Index + 1) of
        true when Due -> iterate(Program, Options, State, Goes, Index + 1, NowNs);
        true -> iterate(Program, Options, State, Goes, Index + 1, WrittenNs);
        false -> Index + 1
    end.

iteration(Program, Options, State, Index) ->
    recorder:start_iteration(Index),
    Before = counts:all(),
    StartedNs = now_ns(),
    CpuStartedNs = cpu_ns(),
    Answer = Program:run(State),
    CpuNs = cpu_ns() - CpuStartedNs,
    WallNs = now_ns() - StartedNs,
    Times = [{index, Index}, {started_monotonic_ns, StartedNs}, {wall_ns, WallNs}, {cpu_ns, CpuNs}],
    Digest = io_lib:format("~16.16.0b", [Program:digest(Answer)]),
    Samples = [{samples, Told} || Told <- [recorder:samples()], Told =/= []],
    output:add(iteration, Times ++ [{digest, list_to_binary(Digest)} | Samples]),
    case is_map_key("count", Options) of
        true ->
            Differences = maps:merge_with(fun(_, B, A) -> A - B end, Before, counts:all()),
            output:add(operations, [{counters, maps:to_list(Differences)}]);
        false ->
            ok
    end.

start(Program, NowNs) ->
    [
        {contract, 2}, {benchmark, atom_to_binary(Program)},
        {language, <<"erlang">>}, {tier, <<"standard">>},
        {monotonic_ns, NowNs},
        {realtime_ns, os:system_time(nanosecond)},
        {cpu_clock_resolution_ns, ?RESOLUTION_NS},
        {runtime, list_to_binary(string:trim(erlang:system_info(system_version)))},
        {threads, erlang:system_info(schedulers_online)},
        {processors, erlang:system_info(schedulers_online)},
        {effective, effective()}
    ].

effective() ->
    {ok, Command} = file:read_file("/proc/self/cmdline"),
    [
        {jit, erlang:system_info(emu_flavor) =:= jit},
        {schedulers, erlang:system_info(schedulers_online)},
        {busy_wait, binary:match(Command, <<"-sbwt\0none\0">>) =:= nomatch},
        {most_processes, erlang:system_info(process_limit)}
    ].

%% CLOCK_MONOTONIC, from which Erlang's own monotonic time differs by a constant.
now_ns() -> os:perf_counter(nanosecond).

%% User and system time of all threads and of reaped children, in ticks of 10 ms.
cpu_ns() ->
    {ok, Stat} = file:read_file("/proc/self/stat"),
    [_, AfterName] = binary:split(Stat, <<") ">>),
    Times = lists:sublist(binary:split(AfterName, <<" ">>, [global]), 12, 4),
    lists:sum([binary_to_integer(Ticks) || Ticks <- Times]) * ?RESOLUTION_NS.

%% A number that becomes 1 when standard input has ended, if that is to end the program.
input_ended(0) ->
    Ended = input_ended(1),
    spawn_link(fun() -> drain(open_port({fd, 0, 0}, [in, eof]), Ended) end),
    Ended;
input_ended(_) ->
    atomics:new(1, []).

drain(Input, Ended) ->
    receive
        {Input, {data, _}} -> drain(Input, Ended);
        {Input, eof} -> atomics:put(Ended, 1, 1)
    end.
