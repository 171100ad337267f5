%% Workers compute the parts of an integral by the trapezoidal rule.
-module(trapezoid).

-export([start/1]).

-define(FROM, 1.0).
-define(TO, 5.0).
-define(SCALE, 1.0e9).

start(#{actors := Actors, amount := Amount}) ->
    Workers = [task:start(fun worker/0) || _ <- lists:seq(1, Actors)],
    Master = task:start(fun() -> master(Actors, max(1, Amount div Actors)) end),
    Master ! {start, Workers},
    1 + Actors.

master(Actors, Pieces) ->
    receive
        {start, Workers} ->
            counts:add(messages), % tick
            Part = (?TO - ?FROM) / Actors,
            Send = fun(I, Worker) ->
                Worker ! {work, ?FROM + I * Part, Pieces, Part / Pieces, self()}
            end,
            lists:zipwith(Send, lists:seq(0, Actors - 1), Workers),
            collect(Actors, 0)
    end.

collect(0, Sum) ->
    Sum;
collect(Left, Sum) ->
    receive
        {result, Area} ->
            counts:add(messages), % tick
            collect(Left - 1, Sum + Area)
    end.

worker() ->
    receive
        {work, From, Pieces, Width, Master} ->
            counts:add(messages), % tick
            Master ! {result, trunc(area(0, Pieces, From, Width, 0.0) * ?SCALE)},
            0
    end.

area(Pieces, Pieces, _, _, Area) ->
    Area;
area(I, Pieces, From, Width, Area) ->
    X = From + I * Width,
    area(I + 1, Pieces, From, Width, Area + 0.5 * (f(X) + f(X + Width)) * Width).

f(X) ->
    Rising = math:sqrt(1 + math:exp(math:sqrt(2 * X))),
    1 / (X + 1) * Rising * math:sin(X * X * X - 1).
