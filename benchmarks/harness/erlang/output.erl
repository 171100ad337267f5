%% Lines for standard output, which wait in the process of `main` until they are written.
-module(output).

-export([add/2, write/0]).

add(Event, Members) ->
    Line = json([{event, atom_to_binary(Event)} | Members]),
    put(?MODULE, [waiting(), Line, $\n]),
    ok.

write() ->
    ok = file:write(standard_io, waiting()),
    put(?MODULE, []),
    ok.

waiting() ->
    case get(?MODULE) of
        undefined -> [];
        Lines -> Lines
    end.

json(Members = [{_, _} | _]) ->
    Told = [[quoted(atom_to_binary(Name)), $:, json(Value)] || {Name, Value} <- Members],
    [${, lists:join($,, Told), $}];
json(Values) when is_list(Values) -> [$[, lists:join($,, [json(Value) || Value <- Values]), $]];
json(Text) when is_binary(Text) -> quoted(Text);
json(Truth) when is_boolean(Truth) -> atom_to_binary(Truth);
json(Number) -> integer_to_binary(Number).

quoted(Text) -> [$", [escaped(Character) || <<Character>> <= Text], $"].

escaped(Character) when Character =:= $"; Character =:= $\\ -> [$\\, Character];
escaped(Character) when Character < 32 -> io_lib:format("\\u~4.16.0b", [Character]);
escaped(Character) -> Character.
