// SPDX-License-Identifier: Apache-2.0
import CLinux

/// Keeps what was heard and answered out of core files: a crash must not write sound buffers or answers to the
/// disk, nor give them to a crash reporter. Every command calls it when it starts (`Program`).
package enum CoreDumps {
    /// Sets RLIMIT_CORE of this process to 0, for good, and makes it not dumpable
    /// (PR_SET_DUMPABLE; programs that it starts become dumpable again). Calling it again does
    /// nothing; it needs no privilege.
    package static func forbid() { _ = clinux_forbid_core_dumps() }

    package static var areForbidden: Bool { clinux_core_limit() == 0 && clinux_is_dumpable() == 0 }
}
