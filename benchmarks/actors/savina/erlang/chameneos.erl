%% Creatures meet in pairs at a mall, and change their colours.
-module(chameneos).

-export([start/1]).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Mall = task:start(fun() -> mall(Amount, none, Actors, 0) end),
    Creature = fun(I) -> task:start(fun() -> creature((Seed + I) rem 3) end) end,
    Creatures = lists:map(Creature, lists:seq(0, Actors - 1)),
    [One ! {start, Mall} || One <- Creatures],
    1 + Actors.

mall(_, _, 0, Meetings) ->
    Meetings;
mall(Left, Waiting, Creatures, Meetings) ->
    receive
        {meet, _, From} when Left =:= 0 ->
            counts:add(messages), % tick
            From ! stop,
            mall(Left, Waiting, Creatures, Meetings);
        {meet, _, From} when Waiting =:= none ->
            counts:add(messages), % tick
            mall(Left, From, Creatures, Meetings);
        {meet, Colour, From} ->
            counts:add(messages), % tick
            Waiting ! {meeting, Colour, From},
            mall(Left - 1, none, Creatures, Meetings);
        {met, Met} ->
            counts:add(messages), % tick
            mall(Left, Waiting, Creatures - 1, Meetings + Met)
    end.

creature(Colour) ->
    receive
        {start, Mall} ->
            counts:add(messages), % tick
            Mall ! {meet, Colour, self()},
            creature(Colour, 0, Mall)
    end.

creature(Colour, Meetings, Mall) ->
    receive
        {meeting, Other, From} ->
            counts:add(messages), % tick
            Changed = complement(Colour, Other),
            From ! {change, Changed},
            Mall ! {meet, Changed, self()},
            creature(Changed, Meetings + 1, Mall);
        {change, Changed} ->
            counts:add(messages), % tick
            Mall ! {meet, Changed, self()},
            creature(Changed, Meetings + 1, Mall);
        stop ->
            counts:add(messages), % tick
            Mall ! {met, Meetings},
            0
    end.

complement(Colour, Colour) -> Colour;
complement(Colour, Other) -> 3 - Colour - Other.
