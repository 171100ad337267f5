%% The benchmarks of actors/savina/contract.md. The form's name is that of its module, whose `start`
%% starts the processes of one iteration, tasks that end with a result each, and gives their number.
-module(savina).
-behaviour(harness).

-export([main/0, load/1, run/1, digest/1, next/1, next/2]).

main() -> harness:main(?MODULE, [messages]).

load(Options) ->
    [Seed, Actors, Amount] = options:numbers(Options, [seed, actors, amount]),
    Form = list_to_atom(options:text(Options, form)),
    {Form, #{seed => Seed band 65535, actors => Actors, amount => Amount}}.

run({Form, Work}) ->
    Tasks = Form:start(Work),
    lists:sum(task:ended(Tasks)).

digest(Sum) -> fnv1a:digest(integer_to_list(Sum)).

%% The contract's `next`.
next(X) -> (X * 1309 + 13849) band 65535.

next(X, 0) -> X;
next(X, Times) -> next(next(X), Times - 1).
