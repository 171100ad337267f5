%% Many processes read and write a sorted list, which is a process too.
-module('concurrent-sorted-list').

-export([start/1]).

-define(MASK, 16#ffffff).

start(Work = #{actors := Actors}) ->
    List = task:start(fun() -> sorted([], 0, Actors) end),
    Start = fun(I) -> requester:start(Work, I, List, fun request/2) end,
    Workers = lists:map(Start, lists:seq(0, Actors - 1)),
    [Worker ! start || Worker <- Workers],
    1 + Actors.

request(0, _) -> size;
request(Kind, Key) when Kind < 11 -> {write, Key};
request(_, Key) -> {contains, Key}.

sorted(List, _, 0) ->
    lists:foldl(fun(Value, Hash) -> (Hash * 1309 + Value) band ?MASK end, 0, List);
sorted(List, Size, Left) ->
    receive
        {{write, Value}, Worker} ->
            counts:add(messages), % tick
            Worker ! {result, Value},
            sorted(inserted(Value, List), Size + 1, Left);
        {{contains, Value}, Worker} ->
            counts:add(messages), % tick
            Worker ! {result, contains(Value, List)},
            sorted(List, Size, Left);
        {size, Worker} ->
            counts:add(messages), % tick
            Worker ! {result, Size},
            sorted(List, Size, Left);
        ended ->
            counts:add(messages), % tick
            sorted(List, Size, Left - 1)
    end.

inserted(Value, [First | Others]) when First < Value -> [First | inserted(Value, Others)];
inserted(Value, List) -> [Value | List].

contains(Value, [First | Others]) when First < Value -> contains(Value, Others);
contains(Value, [Value | _]) -> 1;
contains(_, _) -> 0.
