%% A process sends many messages at once to another, which counts them.
-module(counting).

-export([start/1]).

start(#{amount := Amount}) ->
    Counter = task:start(fun() -> counter(0) end),
    Producer = task:start(fun() -> producer(Amount) end),
    Producer ! {start, Counter},
    2.

producer(Amount) ->
    receive
        {start, Counter} ->
            counts:add(messages), % tick
            increment(Counter, Amount),
            Counter ! {retrieve, self()},
            producer(Amount);
        {total, Total} ->
            counts:add(messages), % tick
            Total
    end.

increment(_, 0) ->
    done;
increment(Counter, Left) ->
    Counter ! increment,
    increment(Counter, Left - 1).

counter(Count) ->
    receive
        increment ->
            counts:add(messages), % tick
            counter(Count + 1);
        {retrieve, Producer} ->
            counts:add(messages), % tick
            Producer ! {total, Count},
            0
    end.
