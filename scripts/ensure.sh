# Sourced by the other scripts: `ensure runtime|dev` sets $root and $bin, making the virtual environment if needed.

ensure() {
    root=$(cd "$(dirname "$0")/.." && pwd -P)
    bin=$root/.venv/bin
    if [ -x "$bin/python" ] && cmp -s "$root/pyproject.toml" "$root/.venv/$1.stamp" 2>/dev/null &&
        cmp -s "$root/constraints.txt" "$root/.venv/$1.constraints" 2>/dev/null; then
        return
    fi
    "$(find_python)" "$root/scripts/environment.py" "$1" || exit $?
}

# The first Python that is new enough; python3 if there is none, which then says what is missing.
find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo python3
}
