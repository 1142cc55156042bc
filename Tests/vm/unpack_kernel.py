# SPDX-License-Identifier: Apache-2.0
"""Writes the ELF kernel that lies compressed in a vmlinuz: QEMU enters it by its PVH note, which is twice as quick."""
import lzma
import struct
import subprocess
import sys

source, target = sys.argv[1:]
image = open(source, "rb").read()
# The setup header says where it lies (Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length). Behind it, for
# most ways of compression, stand four bytes with its unpacked length.
place = (image[0x1F1] + 1) * 512 + struct.unpack_from("<I", image, 0x248)[0]
packed = image[place:place + struct.unpack_from("<I", image, 0x24C)[0]]
if packed[:6] == b"\xfd7zXZ\x00":
    kernel = lzma.LZMADecompressor().decompress(packed)
elif packed[:4] == b"\x28\xb5\x2f\xfd":
    kernel = subprocess.run(["zstd", "-dcq"], input=packed[:-4], stdout=subprocess.PIPE, check=True).stdout
else:
    sys.exit(f"vm: {source} is compressed neither by xz nor by zstd")
if kernel[:4] != b"\x7fELF":
    sys.exit(f"vm: what lies in {source} is no ELF file")
open(target, "wb").write(kernel)
