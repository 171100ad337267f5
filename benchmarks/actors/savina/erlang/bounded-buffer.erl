%% Producers and consumers, with a manager of the buffer between them.
-module('bounded-buffer').

-export([start/1]).

-define(CAPACITY, 50).
-define(COST, 25).

%% `size` is the number of items, which `queue:len` would count. `waiting` are queues of processes.
-record(buffer, {
    items = queue:new(),
    size = 0 :: non_neg_integer(),
    limit :: pos_integer(),
    waiting_producers = queue:new(),
    waiting_consumers :: queue:queue(pid()),
    consumers :: [pid()],
    left :: non_neg_integer()
}).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Produce = fun(I) -> task:start(fun() -> producer(Seed + I, Amount) end) end,
    Producers = lists:map(Produce, lists:seq(0, Actors - 1)),
    Consumers = [task:start(fun() -> consumer(0) end) || _ <- Producers],
    Manager = task:start(fun() -> manager(max(1, ?CAPACITY - Actors)) end),
    Manager ! {start, Producers, Consumers},
    1 + 2 * Actors.

manager(Limit) ->
    receive
        {start, Producers, Consumers} ->
            counts:add(messages), % tick
            [Producer ! {produce, self()} || Producer <- Producers],
            manage(#buffer{
                limit = Limit,
                waiting_consumers = queue:from_list(Consumers),
                consumers = Consumers,
                left = length(Producers)
            })
    end.

manage(Buffer) ->
    receive
        {item, X, Producer} ->
            counts:add(messages), % tick
            manage(produced(put_item(X, Buffer), Producer));
        {available, Consumer} ->
            counts:add(messages), % tick
            consume(Consumer, Buffer);
        ended ->
            counts:add(messages), % tick
            manage_or_end(Buffer#buffer{left = Buffer#buffer.left - 1})
    end.

put_item(X, Buffer = #buffer{items = Items, size = Size, waiting_consumers = Waiting}) ->
    case queue:out(Waiting) of
        {{value, Consumer}, Others} ->
            Consumer ! {item, X, self()},
            Buffer#buffer{waiting_consumers = Others};
        {empty, _} ->
            Buffer#buffer{items = queue:in(X, Items), size = Size + 1}
    end.

produced(Buffer = #buffer{waiting_producers = Waiting}, Producer) ->
    case Buffer#buffer.size >= Buffer#buffer.limit of
        true ->
            Buffer#buffer{waiting_producers = queue:in(Producer, Waiting)};
        false ->
            Producer ! {produce, self()},
            Buffer
    end.

consume(Consumer, Buffer = #buffer{items = Items, size = Size, waiting_consumers = Waiting}) ->
    case queue:out(Items) of
        {{value, X}, Others} ->
            Consumer ! {item, X, self()},
            manage(wake_producer(Buffer#buffer{items = Others, size = Size - 1}));
        {empty, _} ->
            manage_or_end(Buffer#buffer{waiting_consumers = queue:in(Consumer, Waiting)})
    end.

wake_producer(Buffer = #buffer{waiting_producers = Waiting}) ->
    case queue:out(Waiting) of
        {{value, Producer}, Others} ->
            Producer ! {produce, self()},
            Buffer#buffer{waiting_producers = Others};
        {empty, _} ->
            Buffer
    end.

manage_or_end(Buffer = #buffer{left = Left, waiting_consumers = Waiting, consumers = Consumers}) ->
    case Left =:= 0 andalso queue:len(Waiting) =:= length(Consumers) of
        true ->
            [Consumer ! stop || Consumer <- Consumers],
            0;
        false ->
            manage(Buffer)
    end.

producer(X, Left) ->
    receive
        {produce, Manager} when Left =:= 0 ->
            counts:add(messages), % tick
            Manager ! ended,
            0;
        {produce, Manager} ->
            counts:add(messages), % tick
            Made = savina:next(X, ?COST),
            Manager ! {item, Made, self()},
            producer(Made, Left - 1)
    end.

consumer(Sum) ->
    receive
        {item, X, Manager} ->
            counts:add(messages), % tick
            Found = savina:next(X + 1, ?COST),
            Manager ! {available, self()},
            consumer(Sum + Found);
        stop ->
            counts:add(messages), % tick
            Sum
    end.
