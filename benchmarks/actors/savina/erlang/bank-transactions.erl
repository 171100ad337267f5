%% A teller moves money between accounts, each of which does one transaction after the other.
-module('bank-transactions').

-export([start/1]).

-define(OPENING, 100_000).
-define(MOST, 1000).

start(#{seed := Seed, actors := Actors, amount := Amount}) ->
    Open = fun(I) -> task:start(fun() -> account(I, ?OPENING, none, queue:new()) end) end,
    Accounts = lists:map(Open, lists:seq(0, Actors - 1)),
    Teller = task:start(fun() -> teller(Seed, Amount) end),
    Teller ! {start, Accounts},
    1 + Actors.

teller(Random, Amount) ->
    receive
        {start, Accounts} ->
            counts:add(messages), % tick
            order(Random, Amount, list_to_tuple(Accounts)),
            collect(Amount, Accounts)
    end.

order(_, 0, _) ->
    ordered;
order(Random0, Left, Accounts) ->
    Size = tuple_size(Accounts),
    Random1 = savina:next(Random0),
    From = Random1 rem max(1, Size * 8 div 10),
    Random2 = savina:next(Random1),
    To = From + 1 + Random2 rem (Size - From - 1),
    Random3 = savina:next(Random2),
    Money = 1 + Random3 rem ?MOST,
    element(From + 1, Accounts) ! {credit, Money, element(To + 1, Accounts), self()},
    order(Random3, Left - 1, Accounts).

collect(0, Accounts) ->
    [Account ! stop || Account <- Accounts],
    0;
collect(Left, Accounts) ->
    receive
        reply ->
            counts:add(messages), % tick
            collect(Left - 1, Accounts)
    end.

%% `Teller` is that of the transaction under way, or none.
account(I, Balance, Teller, Waiting) ->
    receive
        {credit, Money, To, From} when Teller =:= none ->
            counts:add(messages), % tick
            To ! {debit, Money, self()},
            account(I, Balance - Money, From, Waiting);
        {credit, Money, To, From} ->
            counts:add(messages), % tick
            account(I, Balance, Teller, queue:in({Money, To, From}, Waiting));
        {debit, Money, From} ->
            counts:add(messages), % tick
            From ! reply,
            account(I, Balance + Money, Teller, Waiting);
        reply ->
            counts:add(messages), % tick
            Teller ! reply,
            next_transaction(I, Balance, queue:out(Waiting));
        stop ->
            counts:add(messages), % tick
            (I + 1) * Balance
    end.

next_transaction(I, Balance, {empty, Waiting}) ->
    account(I, Balance, none, Waiting);
next_transaction(I, Balance, {{value, {Money, To, Teller}}, Waiting}) ->
    To ! {debit, Money, self()},
    account(I, Balance - Money, Teller, Waiting).
