#!/bin/sh
# Prepare the engine ns2 (make ns2): compile what its senders lack, and say which ns-2 it is.
#
# Needs Debian's package ns2 and a C compiler, no root. Into LONGFAT_NS2, or the user's cache.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${LONGFAT_NS2:-${XDG_CACHE_HOME:-$HOME/.cache}/longfat-ns2}
compiler=${CC:-cc}

missing=
for tool in ns "$compiler" setpriv prlimit; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "make ns2 needs$missing: on Debian 'apt-get install ns2 gcc util-linux'" >&2
    exit 2
fi
version=$(echo 'puts [ns-version]; exit 0' | ns -)
if [ "$version" != 2.35 ]; then
    echo "make ns2 needs ns-2.35, and 'ns' here is '$version'" >&2
    exit 2
fi

mkdir -p "$folder"
from=$(dpkg-query -Wf '${Package} ${Version}' ns2 2>/dev/null || echo "ns $version")
"$compiler" -O2 -shared -fPIC -o "$folder/senders.so.new" "$here/senders.c"
for own in own-hybla own-tcpj own-ucc own-westwood; do
    "$compiler" -O2 -shared -fPIC -o "$folder/$own.so.new" "$here/$own.c" -lm
done
cat >"$folder/build.json.new" <<JSON
{"ns2_version": "$version", "built_from": "$from",
 "sources_sha256": "$(sha256sum <"$here/senders.c" | cut -d' ' -f1)",
 "own_sha256": "$(cat "$here"/own-*.[ch] | sha256sum | cut -d' ' -f1)"}
JSON
for library in own-hybla own-tcpj own-ucc own-westwood senders; do
    mv "$folder/$library.so.new" "$folder/$library.so"
done
mv "$folder/build.json.new" "$folder/build.json"
echo "ns-2 $version ($from) is ready; its senders are in $folder"
