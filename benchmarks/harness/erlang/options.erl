%% The arguments of a program, NAME=VALUE each; the lab has checked their values.
-module(options).

-export([given/1, text/2, number/2, numbers/2, limit_ns/1]).

given(Benchmark) ->
    Split = [string:split(Argument, "=") || Argument <- init:get_plain_arguments()],
    maps:from_list([{benchmark, Benchmark} | [{Name, Value} || [Name, Value] <- Split]]).

%% An option's value; it is the user's mistake if it is not given.
text(Options = #{benchmark := Benchmark}, Name) ->
    case maps:find(atom_to_list(Name), Options) of
        {ok, Value} ->
            Value;
        error ->
            Missing = "option ~s=VALUE is missing; ./runfair exec ~s --print shows a whole command",
            throw({mistake, io_lib:format(Missing, [Name, Benchmark])})
    end.

number(Options, Name) -> list_to_integer(text(Options, Name)).

numbers(Options, Names) -> [number(Options, Name) || Name <- Names].

%% The time after which no iteration begins; atoms are greater than all numbers.
limit_ns(#{"seconds" := Seconds}) ->
    case string:to_float(Seconds) of
        {error, no_float} -> list_to_integer(Seconds) * 1_000_000_000;
        {Number, ""} -> Number * 1.0e9
    end;
limit_ns(_) ->
    unlimited.
