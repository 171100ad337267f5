# Sourced by ./runfair and ./check. `environment REPOSITORY run|check` sets $python to the
# interpreter of a private environment that holds exactly what the lock file says.

interpreter() {
    # A Python of 3.11 or newer that can make environments, whatever it is called here.
    for candidate in "${RUNFAIR_PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.14 \
        /usr/bin/python3 /usr/bin/python3.1[1-9] "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.1[1-9]*/bin/python3; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return 0
        fi
    done
    echo "runfair needs Python 3.11 or newer with its venv module: apt-get install python3 python3-venv" >&2
    return 2
}

environment() {
    repository=$1
    private=${RUNFAIR_PRIVATE:-$repository/.runfair}
    lock=$repository/lab/requirements-$2.lock
    folder=$private/environment-$2
    python=$folder/bin/python
    # The stamp names the lock it was made from, and is written last: an environment that was
    # interrupted, or that an older lock made, is made anew.
    wanted=$(cksum <"$lock")
    if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$wanted" ] || ! "$python" -c '' 2>/dev/null; then
        base=$(interpreter) || exit 2
        mkdir -p "$private"
        (
            # Two first uses at once: the second waits, then finds the work done.
            flock 9
            [ "$(cat "$folder/stamp" 2>/dev/null)" = "$wanted" ] && "$python" -c '' 2>/dev/null && exit 0
            echo "runfair: making its private environment in $folder (once, about a minute)" >&2
            rm -rf "$folder"
            "$base" -m venv "$folder"
            if ! "$python" -m pip install --quiet --disable-pip-version-check --no-input \
                --require-hashes --only-binary :all: -r "$lock" >"$private/environment.log" 2>&1; then
                tail -n 3 "$private/environment.log" >&2
                echo "runfair: the environment could not be made; is a package registry reachable? ($private/environment.log)" >&2
                exit 2
            fi
            printf '%s\n' "$wanted" >"$folder/stamp"
        ) 9>"$private/environment.lock" || exit 2
    fi
    export RUNFAIR_PRIVATE="$private"
}
