#!/bin/sh
# Build the emulation: an unmodified Linux 6.x as a process, and what runs in it (make emulation);
# beside it the same kernel with UCC, unless the source is somebody's own, which is not written to.
#
# From Debian's linux-source-6.12, or the source tree LINUX_SOURCE; into LONGFAT_EMULATION, or the
# user's cache. Interrupted, it goes on where it was; it builds again what has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${LONGFAT_EMULATION:-${XDG_CACHE_HOME:-$HOME/.cache}/longfat-linux}
packed=/usr/src/linux-source-6.12.tar.xz
packages="flex bison bc gcc make iproute2 xz-utils"

missing=
for tool in flex bison bc gcc make ip tc setpriv setarch xz; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || missing="$missing $tool"
done
[ -n "${LINUX_SOURCE:-}" ] || [ -e $packed ] || missing="$missing $packed"
if [ -n "$missing" ]; then
    echo "make emulation needs$missing: on Debian 'apt-get install linux-source-6.12 $packages'" \
        "(of bookworm-security), elsewhere these tools and LINUX_SOURCE=/path/to/linux-6.x" >&2
    exit 2
fi
if [ -n "${LINUX_SOURCE:-}" ] && ! [ -d "$LINUX_SOURCE/arch/um" ]; then
    echo "LINUX_SOURCE is '$LINUX_SOURCE': it must be a Linux source tree, with arch/um" >&2
    exit 2
fi

hash_of() { sha256sum | cut -d' ' -f1; }
hash_of_files() {
    (cd "$here" && for file in "$@"; do
        [ "$file" = "$1" ] || printf '\0'
        cat "$file"
    done) | hash_of
}
sources=$(hash_of_files kernel.config tcp_ucc.c guest.c host.c)
kernel_sources=$(hash_of_files kernel.config tcp_ucc.c)
from=${LINUX_SOURCE:-$(dpkg-query -Wf '${Package} ${Version}' linux-source-6.12)}
if [ -z "${LINUX_SOURCE:-}" ] && [ -e "$folder/build.json" ] &&
    grep -qF "$sources" "$folder/build.json" && grep -qF "\"$from\"" "$folder/build.json"; then
    echo "the emulation is up to date: $folder"
    exit 0
fi

mkdir -p "$folder/build"
put() { mv "$folder/build/$1" "$folder/$2"; } # whole, also while the old one runs
# The same for everybody: its random numbers begin with who built it, and when.
kernel() {
    make -s -C "$tree" O="$folder/build" ARCH=um KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_VERSION=1 \
        KBUILD_BUILD_USER=longfat KBUILD_BUILD_HOST=longfat "$@"
}
if [ -n "${LINUX_SOURCE:-}" ] ||
    [ "$(head -n 1 "$folder/kernel" 2>&1)" != "$from $kernel_sources" ]; then
    tree=${LINUX_SOURCE:-$folder/source}
    if [ -z "${LINUX_SOURCE:-}" ] && ! [ "$tree/.unpacked" -nt $packed ]; then
        echo "[emulation 1/3] the kernel's source"
        rm -rf "$tree" && mkdir "$tree"
        tar -xf $packed -C "$tree" --strip-components=1
        touch "$tree/.unpacked"
    fi
    echo "[emulation 2/3] the kernel (minutes)"
    cp "$here/kernel.config" "$folder/build/.config"
    kernel olddefconfig
    kernel -j"$(nproc)" linux
    cp "$folder/build/linux" "$folder/build/linux.whole"
    release=$(kernel kernelrelease)
    if [ -z "${LINUX_SOURCE:-}" ]; then
        cp "$here/tcp_ucc.c" "$tree/net/ipv4"
        listed="obj-\$(WITH_UCC) += tcp_ucc.o"
        grep -qF "$listed" "$tree/net/ipv4/Makefile" || echo "$listed" >>"$tree/net/ipv4/Makefile"
        kernel -j"$(nproc)" WITH_UCC=y linux
        mv "$folder/build/linux" "$folder/build/linux.ucc"
    fi
    printf '%s\n' "$from $kernel_sources" "$release" "$(hash_of <"$folder/build/.config")" \
        >"$folder/build/built-from" # Linux has a folder 'kernel' of its own there
    rm -f "$folder/kernel" "$folder/linux-ucc" # interrupted from here on, it is built again
    put linux.whole linux
    [ -n "${LINUX_SOURCE:-}" ] || put linux.ucc linux-ucc
    put built-from kernel
    rm -rf "$folder/source" # 2 GB with what is built
fi
{ read -r _; read -r release; read -r config; } <"$folder/kernel"
echo "[emulation 3/3] what runs in it"
gcc -O2 -static -s -o "$folder/build/guest" "$here/guest.c" -lm
gcc -O2 -shared -fPIC -o "$folder/build/host.so" "$here/host.c"
cat >"$folder/build/build.json" <<JSON
{"kernel_version": "$release", "built_from": "$from",
 "config_sha256": "$config", "sources_sha256": "$sources"}
JSON
put guest guest
put host.so host.so
put build.json build.json
rm -rf "$folder/build"
echo "Linux $release ($from) is in $folder"
