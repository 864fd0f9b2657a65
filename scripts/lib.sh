# shellcheck shell=bash
# What the scripts share: talk, paths, waiting, children that die with us, and the Wine environment.
# Sourced, never run. Data goes to stdout, talk to stderr.

# shellcheck disable=SC2034  # used by the scripts that source this file
eyehand_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Kept between runs and outside the source tree: the Wine template, measured durations.
# shellcheck disable=SC2034  # used by the scripts that source this file
eyehand_cache=${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/eyehand

say() { printf '%s\n' "$*" >&2; }

# die STATUS LINE...: the cause first, then what to do about it.
die() {
    local status=$1
    shift
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    shift
    (($# == 0)) || printf '    %s\n' "$@" >&2
    exit "$status"
}

# show_log FILE [LINES]: the end of a log, indented, for an error message.
show_log() {
    if [[ -s $1 ]]; then
        say "    the end of $1:"
        tail -n "${2:-15}" "$1" | sed 's/^/    | /' >&2
    else
        say "    $1 is empty"
    fi
}

# wait_until SECONDS COMMAND...: polls; false when the time is up.
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}

# A shell started in the background by another shell ignores SIGINT and cannot undo that from inside.
# heed_interrupts "$@" starts the script over with the default, so that Ctrl+C and kill -INT work.
heed_interrupts() {
    [[ $(trap -p INT) == "trap -- '' SIGINT" ]] || return 0
    exec env --default-signal=INT,QUIT "$0" "$@"
}

# on_end FUNCTION: calls it with the exit status when the script ends, however it ends, and lets it finish.
on_end() {
    ending=$1
    trap 'end_script $?' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

end_script() {
    trap - EXIT
    # Not '': what is ignored here would be ignored by the programs that clean up, too.
    trap : HUP INT TERM
    "$ending" "$1" || true
    exit "$1"
}

# --- children -----------------------------------------------------------------------------------------
# Bash runs a trap only after the foreground command has ended, which may take minutes. So whatever takes
# long runs as a background job in a process group of its own while the shell waits, and a signal can end
# the whole group at once.
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

# end_child: asks the process group of the running child to end, then insists.
end_child() {
    local group=$child
    child=
    [[ -n $group ]] || return 0
    kill -TERM -- "-$group" 2>/dev/null || return 0
    wait_until 30 group_is_gone "$group" || kill -KILL -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || true
}

# --- the stand-in model --------------------------------------------------------------------------------

# start_stand_in_model PROGRAM FOLDER ARGS...: in the background. Sets `stand_in` to its process and `endpoint` to
# where it listens; its files are FOLDER/stand-in.*.
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
# wine_environment DISPLAY PREFIX XAUTHORITY: the one environment that every Wine process here gets, as
# NAME=VALUE lines.
#   WINEDLLOVERRIDES  no Mono or Gecko downloads, no menu entries in the user's home
#   LC_ALL            English labels, and file names that may hold any character
wine_environment() {
    printf '%s\n' "DISPLAY=$1" "WINEPREFIX=$2" "XAUTHORITY=$3" WINEARCH=win64 WINEDEBUG=-all \
        'WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d' LC_ALL=C.UTF-8
}

# wine_live PROGRAM ARGS...: runs it with its output shown as it comes, and returns its exit status.
# Wine leaves processes behind that hold on to what they inherit. A pipe would therefore never end, so Wine
# writes to files and the files are followed. Ctrl+C reaches the program, which ends in its own way.
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
    # A signal ends the waiting, not the program.
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
# A script that takes long says where it is and how long is left. It lists its stages in order, gives each a
# title and an estimate in seconds (on two cores), and runs each through `stage`. A second estimate,
# NAME-again, is for a machine that has done it before. The last run's durations replace the estimates.
stages=()
declare -A seconds titles estimate
stage_number=0

# recall_durations FILE: and keeps what is measured from now on in that file.
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

# stage NAME COMMAND...: announces it, runs it and returns its status. A stage that went well is the best
# guess for the next time.
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
