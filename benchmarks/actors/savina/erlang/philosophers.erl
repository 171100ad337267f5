%% Philosophers eat with two forks each, which an arbiter gives them.
-module(philosophers).

-export([start/1]).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Arbiter = task:start(fun() -> arbiter(Actors, #{}, #{}, 0, Actors) end),
    Start = fun(I) -> task:start(fun() -> philosopher(I, Seed + I, Amount) end) end,
    [Start(I) ! {start, Arbiter} || I <- lists:seq(0, Actors - 1)],
    1 + Actors.

%% `Taken` has the forks that are in use, `Waiting` the hungry philosophers by their numbers.
arbiter(_, _, _, Meals, 0) ->
    Meals;
arbiter(Size, Taken, Waiting, Meals, Left) ->
    receive
        {hungry, I, Philosopher} ->
            counts:add(messages), % tick
            serve([I], Size, Taken, Waiting#{I => Philosopher}, Meals, Left);
        {done, I} ->
            counts:add(messages), % tick
            Right = (I + 1) rem Size,
            Free = maps:without([I, Right], Taken),
            serve([(I + Size - 1) rem Size, Right], Size, Free, Waiting, Meals, Left);
        leave ->
            counts:add(messages), % tick
            arbiter(Size, Taken, Waiting, Meals, Left - 1)
    end.

%% Gives each of these philosophers who waits both forks, if they are there.
serve([], Size, Taken, Waiting, Meals, Left) ->
    arbiter(Size, Taken, Waiting, Meals, Left);
serve([I | Others], Size, Taken, Waiting, Meals, Left) ->
    Right = (I + 1) rem Size,
    Free = not is_map_key(I, Taken) andalso not is_map_key(Right, Taken),
    case Waiting of
        #{I := Philosopher} when Free ->
            Philosopher ! eat,
            NowTaken = Taken#{I => true, Right => true},
            serve(Others, Size, NowTaken, maps:remove(I, Waiting), Meals + 1, Left);
        _ ->
            serve(Others, Size, Taken, Waiting, Meals, Left)
    end.

philosopher(I, X, Amount) ->
    receive
        {start, Arbiter} ->
            counts:add(messages), % tick
            Arbiter ! {hungry, I, self()},
            philosopher(I, X, Amount, Arbiter)
    end.

philosopher(I, X, Left, Arbiter) ->
    receive
        eat when Left > 1 ->
            counts:add(messages), % tick
            Arbiter ! {done, I},
            Arbiter ! {hungry, I, self()},
            philosopher(I, savina:next(X), Left - 1, Arbiter);
        eat ->
            counts:add(messages), % tick
            Arbiter ! {done, I},
            Arbiter ! leave,
            savina:next(X)
    end.
