#!/bin/sh
# Runs one Windows program through Wine for CTest, on the desktop that `scripts/desktop` started.
# CTest waits until no process holds the output pipe, but the first Wine process that uses the GUI leaves
# explorer.exe behind, which would hold the pipe. So Wine writes to a file, and this script prints the file.
if [ -z "${DISPLAY:-}" ] || [ -z "${WINEPREFIX:-}" ]; then
    echo "wine-run: DISPLAY and WINEPREFIX are not set." \
         "Run scripts/test, or: eval \"\$(scripts/desktop start)\"" >&2
    exit 97
fi
out=$(mktemp) || exit 98
trap 'rm -f "$out"' EXIT
wine "$@" >"$out" 2>&1 </dev/null
status=$?
cat "$out"
exit $status
