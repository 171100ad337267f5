%% Answers the questions of benchmarks/harness/vectors.txt.
-module(vectors).

-export([main/0]).

main() ->
    ok = io:setopts([binary, {encoding, latin1}]),
    answer(file:read_line(standard_io)).

answer(eof) ->
    halt(0);
answer({ok, Line}) ->
    [Question, _] = binary:split(Line, <<" =">>),
    [Primitive | Told] = binary:split(Question, <<" ">>),
    Answer = answer(Primitive, iolist_to_binary(Told)),
    ok = file:write(standard_io, [Question, " =", [[$\s, Value] || Value <- Answer], $\n]),
    answer(file:read_line(standard_io)).

answer(<<"fnv1a">>, Text) ->
    [hexadecimal(fnv1a:digest(Text))];
answer(Primitive, Told) ->
    Numbers = [binary_to_integer(Number) || Number <- binary:split(Told, <<" ">>, [global])],
    answers(Primitive, Numbers).

answers(<<"cell">>, Values) ->
    [integer_to_binary(recorder:cell(Value)) || Value <- Values];
answers(<<"splitmix64">>, [Seed, N]) ->
    Next = fun(_, State) -> splitmix64:next(State) end,
    {Numbers, _} = lists:mapfoldl(Next, Seed, lists:seq(1, N)),
    [hexadecimal(Number) || Number <- Numbers];
answers(<<"bounded">>, [Seed | Bounds]) ->
    {Numbers, _} = lists:mapfoldl(fun splitmix64:bounded/2, Seed, Bounds),
    [integer_to_binary(Number) || Number <- Numbers];
answers(<<"shuffle">>, [Seed, N]) ->
    [integer_to_binary(Number) || Number <- splitmix64:shuffle(lists:seq(0, N - 1), Seed)].

hexadecimal(Number) -> io_lib:format("~16.16.0b", [Number]).
