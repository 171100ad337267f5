%% Tasks: processes that end with a result.
-module(task).

-export([start/1, ended/0, ended/1]).

%% Starts a process whose result is `Fun()`; the caller is told of its end.
start(Fun) ->
    {Pid, _} = spawn_monitor(fun() -> exit({result, Fun()}) end),
    Pid.

%% Waits until a task of the caller's has ended, whichever; gives its result.
ended() ->
    receive
        {'DOWN', _, process, _, {result, Result}} -> Result;
        {'DOWN', _, process, _, Reason} -> error(Reason)
    end.

%% The results of so many tasks, in the order of their ends.
ended(Tasks) -> [ended() || _ <- lists:seq(1, Tasks)].
