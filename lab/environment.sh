# Sourced by ./runfair and ./check. `environment REPOSITORY run|check` sets $python to the
# interpreter of a private environment that holds exactly what the lock file says, and
# RUNFAIR_PRIVATE to the private folder. What cannot be done: one line, and exit status 2.

suits() {
    # Whether this interpreter is new enough and can make environments.
    "$1" -I -c 'import sys, venv; from ensurepip import bootstrap; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

optimised() {
    # Whether this interpreter was built with profile-guided optimisation: it is a sixth faster.
    # Debian builds so, and does not say it.
    "$1" -I -c 'import sys, sysconfig; options = sysconfig.get_config_var("CONFIG_ARGS") or ""; sys.exit("deb_system" not in sysconfig.get_scheme_names() and "--enable-optimizations" not in options)' 2>/dev/null
}

interpreter() {
    # A suitable Python, whatever it is called here, and an optimised one if there is any;
    # RUNFAIR_PYTHON alone where it is set.
    if [ -n "${RUNFAIR_PYTHON:-}" ]; then
        suits "$RUNFAIR_PYTHON" || {
            refuse "the environment variable RUNFAIR_PYTHON names $RUNFAIR_PYTHON, which is not Python 3.11 or newer with the modules venv and ensurepip; unset the variable, or name another Python"
            return 2
        }
        set -- "$RUNFAIR_PYTHON"
    else
        set -- python3 python3.13 python3.12 python3.11 python3.14 /usr/bin/python3 /usr/bin/python3.1[1-9] \
            "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.1[1-9]*/bin/python3
    fi
    found=
    for candidate; do
        if suits "$candidate"; then
            found=${found:-$candidate}
            if optimised "$candidate"; then
                found=$candidate
                break
            fi
        fi
    done
    if [ -n "$found" ]; then
        "$found" -I -c 'import sys; print(sys.executable)'
        return 0
    fi
    refuse "runfair needs Python 3.11 or newer with its module venv; type as root: apt-get install python3 python3-venv"
    return 2
}

refuse() {
    echo "runfair: $1" >&2
}

is_made() {
    # The interpreter may have become another version, which does not see the packages: its link
    # leads out of the environment.
    [ "$(cat "$folder/stamp" 2>/dev/null)" = "$wanted" ] && "$python" -I -c 'import rich' 2>/dev/null
}

make_environment() {
    # Called behind `||`, where `set -e` does not hold: each step says itself what becomes of it.
    is_made && return 0
    base=$(interpreter) || return 2
    echo "runfair: at first use, runfair makes its private Python environment in $folder, which takes about a minute" >&2
    log=$private/environment.log
    rm -rf "$folder" && "$base" -I -m venv "$folder" >"$log" 2>&1 || {
        tail -n 1 "$log" >&2
        refuse "the Python environment could not be made in $folder; read $log, and look whether the disk has free space"
        return 2
    }
    # Of a user's own settings, those that say where a registry is are heeded; those that would
    # put the packages elsewhere are not.
    env -u PIP_TARGET -u PIP_PREFIX PIP_USER=0 "$python" -I -m pip install \
        --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
        -r "$lock" >>"$log" 2>&1 || {
        tail -n 1 "$log" >&2
        refuse "the Python packages of $folder could not be installed; read $log, and look whether a package registry is reachable"
        return 2
    }
    # The stamp names the lock it was made from, and is written last: an environment that was
    # interrupted, or that an older lock made, is made anew.
    printf '%s\n' "$wanted" >"$folder/stamp"
}

environment() {
    repository=$1
    private=${RUNFAIR_PRIVATE:-$repository/.runfair}
    case $private in
        /*) ;;
        *) private=$(pwd -P)/$private ;;
    esac
    lock=$repository/lab/requirements-$2.lock
    folder=$private/environment-$2
    python=$folder/bin/python
    wanted=$(cksum <"$lock")
    unset PYTHONHOME
    if ! is_made; then
        mkdir -p "$private" 2>/dev/null && [ -w "$private" ] || {
            refuse "the private folder $private cannot be written; set the environment variable RUNFAIR_PRIVATE to a folder that can be written"
            exit 2
        }
        # Two first uses at once: the second waits, then finds the work done.
        (flock 9 && make_environment) 9>"$private/environment.lock" || exit 2
    fi
    export RUNFAIR_PRIVATE="$private"
}
