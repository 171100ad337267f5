%% SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Integers of more than 59 bits are bignums.
-module(splitmix64).

-export([next/1, bounded/2, shuffle/2]).

-define(MASK_64, 16#ffffffffffffffff).

%% The next 64 pseudo-random bits, and the state behind them.
next(State) ->
    Next = (State + 16#9e3779b97f4a7c15) band ?MASK_64,
    Y = ((Next bxor (Next bsr 30)) * 16#bf58476d1ce4e5b9) band ?MASK_64,
    Z = ((Y bxor (Y bsr 27)) * 16#94d049bb133111eb) band ?MASK_64,
    {Z bxor (Z bsr 31), Next}.

%% A number below `N`.
bounded(N, State) ->
    {Number, Next} = next(State),
    {(Number bsr 32) rem N, Next}.

%% A permutation of the elements.
shuffle(Elements, State) ->
    Array = array:from_list(Elements),
    array:to_list(shuffle(Array, array:size(Array) - 1, State)).

shuffle(Array, I, _) when I < 1 ->
    Array;
shuffle(Array, I, State) ->
    {J, Next} = bounded(I + 1, State),
    Swapped = array:set(I, array:get(J, Array), array:set(J, array:get(I, Array), Array)),
    shuffle(Swapped, I - 1, Next).
