# shellcheck shell=bash
# Shared functions of the scripts: messages, paths, waiting, child processes, and the Wine environment.
# Sourced, never run. Data goes to stdout, messages go to stderr.

# shellcheck disable=SC2034  # used by the scripts that source this file
eyehand_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Files that are kept between runs, outside the source tree: the Wine template, measured durations.
# shellcheck disable=SC2034  # used by the scripts that source this file
eyehand_cache=${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/eyehand

say() { printf '%s\n' "$*" >&2; }

# die STATUS LINE...: prints the cause, then the remedy, and exits.
die() {
    local status=$1
    shift
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    shift
    (($# == 0)) || printf '    %s\n' "$@" >&2
    exit "$status"
}

# show_log FILE [LINES]: prints the end of a log, indented, for an error message.
show_log() {
    if [[ -s $1 ]]; then
        say "    the end of $1:"
        tail -n "${2:-15}" "$1" | sed 's/^/    | /' >&2
    else
        say "    $1 is empty"
    fi
}

# wait_until SECONDS COMMAND...: polls; fails when the time is up.
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}

# A shell started in the background by another shell ignores SIGINT and cannot undo that from inside.
# heed_interrupts "$@" restarts the script with the default handling, so that Ctrl+C and kill -INT work.
heed_interrupts() {
    [[ $(trap -p INT) == "trap -- '' SIGINT" ]] || return 0
    exec env --default-signal=INT,QUIT "$0" "$@"
}

# on_end FUNCTION: calls it with the exit status when the script ends for any reason; signals do not interrupt it.
on_end() {
    ending=$1
    trap 'end_script $?' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

end_script() {
    trap - EXIT
    # Not '': the programs that clean up would inherit the ignored signals.
    trap : HUP INT TERM
    "$ending" "$1" || true
    exit "$1"
}

# --- children -----------------------------------------------------------------------------------------
# Bash runs a trap only after the foreground command has ended, which may take minutes. So long commands run
# as background jobs in process groups of their own while the shell waits, and a signal can end the whole
# group at once.
child=

# in_group COMMAND...: runs it without stdin and returns its exit status.
in_group() {
    local status=0
    set -m
    "$@" </dev/null &
    child=$!
    set +m
    wait "$child" || status=$?
    child=
    return "$status"
}

group_is_gone() { ! kill -0 -- "-$1" 2>/dev/null; }

# end_child: sends SIGTERM to the process group of the running child, and SIGKILL after 30 s.
end_child() {
    local group=$child
    child=
    [[ -n $group ]] || return 0
    kill -TERM -- "-$group" 2>/dev/null || return 0
    wait_until 30 group_is_gone "$group" || kill -KILL -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || true
}

# --- the stand-in model --------------------------------------------------------------------------------

# start_stand_in_model PROGRAM FOLDER ARGS...: starts it in the background. Sets `stand_in` to its process and
# `endpoint` to its URL; its files are FOLDER/stand-in.*.
start_stand_in_model() {
    local program=$1 port_file=$2/stand-in.port log=$2/stand-in.log out=$2/stand-in.out
    shift 2
    "$program" "$@" --port-file "$port_file" --log "$log" </dev/null >"$out" 2>&1 &
    stand_in=$!
    wait_until 60 stand_in_answers_or_ended "$port_file" || true
    if [[ ! -s $port_file ]]; then
        show_log "$out"
        die 1 "the stand-in model does not start." "Its log: $log"
    fi
    # shellcheck disable=SC2034  # used by the scripts that source this file
    endpoint=http://127.0.0.1:$(tr -d '[:space:]' <"$port_file")/v1
}

stand_in_answers_or_ended() { [[ -s $1 ]] || ! kill -0 "$stand_in"; }

# --- Wine ---------------------------------------------------------------------------------------------
# wine_environment DISPLAY PREFIX XAUTHORITY: prints the environment of all Wine processes as NAME=VALUE lines.
#   WINEDLLOVERRIDES  no Mono or Gecko downloads, no menu entries in the user's home
#   LC_ALL            English labels, and file names with any character
wine_environment() {
    printf '%s\n' "DISPLAY=$1" "WINEPREFIX=$2" "XAUTHORITY=$3" WINEARCH=win64 WINEDEBUG=-all \
        'WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d' LC_ALL=C.UTF-8
}

# wine_again PROGRAM ARGS...: runs it, again up to two times if it fails. Only for programs that may run twice.
# Where programs must be started with randomized addresses, about one of 8,000 processes of Wine 8 ends at its start
# (scripts/desktop, use_fixed_addresses).
wine_again() { wine "$@" || wine "$@" || wine "$@"; }

# wine_live PROGRAM ARGS...: runs it, prints its output as it arrives, and returns its exit status.
# Wine leaves processes that keep inherited handles open, so a pipe would never end. Therefore Wine writes to
# files, and the files are followed. Ctrl+C is passed to the program, which ends by itself.
wine_live() {
    local dir program followers=() status=0
    dir=$(mktemp -d)
    : >"$dir/out"
    : >"$dir/err"
    set -m
    wine "$@" </dev/null >"$dir/out" 2>"$dir/err" &
    program=$!
    set +m
    # shellcheck disable=SC2064  # the process is known now
    trap "kill -INT $program 2>/dev/null" INT
    # shellcheck disable=SC2064
    trap "kill -TERM $program 2>/dev/null" TERM HUP
    tail -c +1 -s 0.1 -f --pid="$program" "$dir/out" &
    followers+=($!)
    tail -c +1 -s 0.1 -f --pid="$program" "$dir/err" >&2 &
    followers+=($!)
    # A signal ends `wait`, not the program.
    while true; do
        status=0
        wait "$program" || status=$?
        kill -0 "$program" 2>/dev/null || break
    done
    wait "${followers[@]}" || true
    trap - HUP INT TERM
    rm -rf "$dir"
    return "$status"
}

# --- stages -------------------------------------------------------------------------------------------
# A long script prints its progress and the remaining time. It lists its stages in order, gives each a title
# and an estimate in seconds (on two cores), and runs each with `stage`. A second estimate, NAME-again, is for
# repetitions on the same machine. The durations of the last run replace the estimates.
stages=()
declare -A seconds titles estimate
stage_number=0

# recall_durations FILE: reads earlier durations; new ones are stored in the same file.
recall_durations() {
    local name value
    durations=$eyehand_cache/$1
    for name in "${stages[@]}"; do estimate[$name]=${estimate[$name]:-$name}; done
    [[ -r $durations ]] || return 0
    while read -r name value; do
        [[ -z ${seconds[$name]:-} || ! $value =~ ^[0-9]{1,6}$ ]] || seconds[$name]=$value
    done <"$durations"
}

remember_durations() {
    local name
    mkdir -p "$eyehand_cache" || return 0
    for name in "${!seconds[@]}"; do printf '%s %s\n' "$name" "${seconds[$name]}"; done >"$durations.$$" || return 0
    mv "$durations.$$" "$durations"
}

time_left() {
    local name left=0
    for name in "${stages[@]:stage_number}"; do left=$((left + seconds[${estimate[$name]}])); done
    if ((left < 90)); then echo "$left s"; else echo "$(((left + 30) / 60)) min"; fi
}

# stage NAME COMMAND...: announces it, runs it and returns its status. Stores the duration of a successful stage.
stage() {
    local name=$1 begin=$SECONDS left status=0
    shift
    left=$(time_left)
    stage_number=$((stage_number + 1))
    say "[$stage_number/${#stages[@]}] ${titles[$name]} ... (about $left left)"
    "$@" || status=$?
    ((status == 0)) || return "$status"
    seconds[${estimate[$name]}]=$((SECONDS - begin))
    remember_durations || true
}
