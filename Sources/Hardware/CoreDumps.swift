// SPDX-License-Identifier: Apache-2.0
import CLinux

/// Keeps what was heard out of core files: a crash must not write the sound buffers to the disk.
public enum CoreDumps {
    /// Sets RLIMIT_CORE of this process to 0, for good. Calling it again does nothing; it needs no right.
    public static func forbid() { _ = clinux_forbid_core_dumps() }

    /// True when the kernel writes no core file of this process.
    public static var areForbidden: Bool { clinux_core_limit() == 0 }
}
