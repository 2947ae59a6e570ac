#!/bin/sh
# Print the python of an environment that holds exactly what LOCK pins, building it on first use.
#
#   scripts/environment.sh [LOCK]        LOCK: requirements.lock unless given
#
# Environments live outside the tree, in $MUSTER_BUILD_CACHE (default: ~/.cache/lakemuster), one per lock and python.
# Needs a Python >= 3.11 with venv; $MUSTER_PYTHON names one, otherwise the first found is taken.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

fits='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11) or sys.implementation.name != "cpython")'
for python in "${MUSTER_PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.14 python; do
    if [ -n "$python" ] && "$python" -c "$fits" >/dev/null 2>&1; then
        exec "$python" -I "$here/environment.py" "${1:-$here/../requirements.lock}"
    fi
done
echo "No Python >= 3.11 with its venv module found; install one, or name it in MUSTER_PYTHON." >&2
exit 1
