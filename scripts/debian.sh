# shellcheck shell=bash
# Packages of another Debian suite, unpacked into a folder: no root, and nothing of this system changes. Sourced
# after lib.sh.

# debian_apt FOLDER COMMAND ARGS...: apt-get or apt-cache with the package lists in FOLDER. For these lists, no package
# is installed.
debian_apt() {
    local folder=$1 command=$2
    shift 2
    "$command" -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$folder/lists" -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 -o Debug::NoLocking=true -qq "$@"
}

# read_debian_lists FOLDER LINE...: the package lists of these lines of a sources.list.
read_debian_lists() {
    local folder=$1
    shift
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    : >"$folder/status"
    printf '%s\n' "$@" >"$folder/sources.list"
    in_group debian_apt "$folder" apt-get update >&2
}

# unpack_debian LISTS ROOT PACKAGE...: unpacks packages and everything that they depend on. The programs in ROOT use
# the dynamic linker and the libraries in ROOT; ROOT must not move afterwards.
unpack_debian() {
    local lists=$1 root=$2 archive folder
    shift 2
    in_group debian_apt "$lists" apt-get -y --download-only --no-install-recommends install "$@" >&2 || return
    mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64"
    # Not in every package; see "merged /usr" in Debian's file hierarchy.
    for folder in bin sbin lib lib64; do ln -sfn "usr/$folder" "$root/$folder"; done
    for archive in "$lists"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$root" --keep-directory-symlink \
            --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' || return
    done
    in_group use_libraries_in "$root"
}

use_libraries_in() {
    local root=$1 file
    while IFS= read -r -d '' file; do
        patchelf --print-interpreter "$file" >/dev/null 2>&1 || continue
        # RPATH, not RUNPATH: it also applies to the libraries that a library needs.
        patchelf --set-interpreter "$root/lib64/ld-linux-x86-64.so.2" --force-rpath \
            --set-rpath "$root/usr/lib/x86_64-linux-gnu" "$file" || return
    done < <(find "$root" -type f -perm -u+x ! -name '*.so*' ! -name '*.dll' ! -name '*.exe' -print0)
}
