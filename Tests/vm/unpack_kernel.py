# SPDX-License-Identifier: Apache-2.0
"""Writes the ELF kernel that lies compressed in a vmlinuz: QEMU enters it by its PVH note, which is twice as quick."""
import lzma
import sys

source, target = sys.argv[1:]
packed = open(source, "rb").read()
place = packed.find(b"\xfd7zXZ\x00")
if place < 0:
    sys.exit(f"vm: {source} is not compressed by xz")
kernel = lzma.LZMADecompressor().decompress(packed[place:])
if kernel[:4] != b"\x7fELF":
    sys.exit(f"vm: what lies in {source} is no ELF file")
open(target, "wb").write(kernel)
