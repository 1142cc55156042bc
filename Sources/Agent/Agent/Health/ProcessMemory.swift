// SPDX-License-Identifier: Apache-2.0
import CLinux

/// What the whole process does about its memory; every program calls it first (`Program`).
package enum ProcessMemory {
    /// One heap for all threads, before any is started, which gives back what is freed: those that
    /// measure allocate nothing, and the others hardly ever wait for each other.
    package static func keepSmall() { clinux_keep_heap_small(64 << 10) }
}
