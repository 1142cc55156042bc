#!/usr/bin/env bash
# Records the system calls of the run that the enumeration goes through: `make crash-record`. Needs strace.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v strace >/dev/null || { echo "studyd: strace is missing: apt-get install strace" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# All calls that change what a folder holds; those that the reader does not model end it with a message.
calls=openat,open,creat,close,write,pwrite64,pwritev,writev,fsync,fdatasync,sync_file_range,fallocate,ftruncate,truncate
calls=$calls,rename,renameat,renameat2,unlink,unlinkat,mkdir,link,linkat,copy_file_range,sendfile,msync
for name in run sealed; do
	option=$([ $name = sealed ] && echo --sealed || true)
	strace -f -xx -s 100000000 -o "$work/log" -e trace="$calls" .build/debug/RecordingCrash record "$work/$name" $option >/dev/null
	gzip -9 -n -c "$work/log" >Tests/Crash/$name.strace.gz
	ls -l Tests/Crash/$name.strace.gz
done
