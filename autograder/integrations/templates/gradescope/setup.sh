#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image: Python 3.11 or newer in an environment of its own, with the
# autograder in it. It has to be readable for other users, for student code runs as one.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$source")

find_python() {
  local name
  for name in ${AUTOGRADER_PYTHON:-} python3.13 python3.12 python3.11 python3.14 python3; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  return 1
}

if ! python=$(find_python); then
  apt-get update -qq
  apt-get install -y -qq python3.12-venv || apt-get install -y -qq python3.11-venv
  python=$(find_python)
fi
umask 022
"$python" -m venv --clear "$root/python"
"$root/python/bin/python" -m pip --disable-pip-version-check install --quiet -r "$source/requirements.txt"
"$root/python/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps "$source"/*.whl
# A library that does not load here is told now, and not to students.
"$root/python/bin/python" -I -c 'import autograder.integrations.gradescope'
if grep -q '^torch' "$source/requirements.txt"; then "$root/python/bin/python" -I -c 'import torch'; fi
