# Sourced by the other scripts: `ensure runtime|dev` sets $root and $bin, and makes the environment .venv if needed.
# It needs Python and git only: the first thing that comes into the environment is uv, which installs the rest.

ensure() {
    root=$(cd "$(dirname "$0")/.." && pwd -P)
    bin=$root/.venv/bin
    is_current "$1" && return
    python=$(find_python)
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "Python 3.11 or newer is needed, this is $("$python" --version 2>&1)"
    exec 9>"$root/.venv.lock" # a second call waits for the first, and for what an interrupted one left running
    "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
    is_current "$1" || (cd "$root" && make "$1") || fail "setting up failed; the next call tries again"
    exec 9>&-
}

fail() {
    echo "tbgen: $1" >&2
    exit 1
}

# The first Python that is new enough; python3 if none is.
find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo python3
}

is_current() {
    [ -x "$bin/python" ] && cmp -s "$root/pyproject.toml" "$root/.venv/$1.stamp" 2>/dev/null &&
        cmp -s "$root/constraints.txt" "$root/.venv/$1.constraints" 2>/dev/null
}

# The stamps, copies of what the environment was made from, are written last: one without a stamp was interrupted, and
# is made again from nothing.
make() {
    case $1 in
    runtime)
        parts="runtime"
        time="half a minute"
        set -- --editable ".[report,serve,study]"
        ;;
    dev)
        parts="runtime dev"
        time="a minute, for development"
        set -- --editable ".[docs,report,serve,study,swiss]" --group dev
        ;;
    esac
    echo "tbgen: setting up $root/.venv (once; about $time) ..." >&2
    { [ -x .venv/bin/python ] && ls .venv/*.stamp >/dev/null 2>&1; } || "$python" -m venv --clear .venv || return
    rm -f .venv/*.stamp
    [ -x .venv/bin/uv ] || .venv/bin/python -m pip install --quiet --constraint constraints.txt uv || return
    .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint constraints.txt "$@" || return
    for part in $parts; do
        cp constraints.txt ".venv/$part.constraints" && cp pyproject.toml ".venv/$part.stamp" || return
    done
}
