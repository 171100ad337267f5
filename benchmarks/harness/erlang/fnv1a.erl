%% FNV-1a of 64 bits, the hash of an answer.
-module(fnv1a).

-export([digest/1, of_numbers/1]).

-define(MASK_64, 16#ffffffffffffffff).

digest(Text) ->
    Bytes = binary_to_list(iolist_to_binary(Text)),
    Add = fun(Byte, Hash) -> ((Hash bxor Byte) * 16#100000001b3) band ?MASK_64 end,
    lists:foldl(Add, 16#cbf29ce484222325, Bytes).

%% Of 64-bit numbers, each its 16 lower-case hexadecimal digits and a line feed.
of_numbers(Numbers) -> digest([io_lib:format("~16.16.0b~n", [Number]) || Number <- Numbers]).
