#!/bin/sh
# Runs one Windows program through Wine for CTest, on the desktop that `scripts/desktop` started.
# CTest waits until every holder of the output pipe is gone, and the first Wine process that touches
# the GUI leaves explorer.exe behind holding it: so Wine gets a file, and the pipe gets the file's text.
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
