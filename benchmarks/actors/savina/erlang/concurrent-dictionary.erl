%% Many processes read and write a dictionary, which is a process too.
-module('concurrent-dictionary').

-export([start/1]).

start(Work = #{actors := Actors}) ->
    Dictionary = task:start(fun() -> dictionary(#{}, Actors) end),
    Start = fun(I) -> requester:start(Work, I, Dictionary, fun request/2) end,
    Workers = lists:map(Start, lists:seq(0, Actors - 1)),
    [Worker ! start || Worker <- Workers],
    1 + Actors.

request(Kind, Key) when Kind < 10 -> {write, Key, savina:next(Key)};
request(_, Key) -> {read, Key}.

dictionary(Values, 0) ->
    lists:sum([1 + Value || Value <- maps:values(Values)]);
dictionary(Values, Left) ->
    receive
        {{write, Key, Value}, Worker} ->
            counts:add(messages), % tick
            Worker ! {result, Value},
            dictionary(Values#{Key => Value}, Left);
        {{read, Key}, Worker} ->
            counts:add(messages), % tick
            Worker ! {result, maps:get(Key, Values, 0)},
            dictionary(Values, Left);
        ended ->
            counts:add(messages), % tick
            dictionary(Values, Left - 1)
    end.
