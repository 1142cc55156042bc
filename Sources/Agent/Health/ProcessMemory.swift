// SPDX-License-Identifier: Apache-2.0
import CLinux
import Hardware

/// What the whole process does about its memory.
public enum ProcessMemory {
    /// Two heaps for all threads, before any is started: those that measure allocate nothing, and a heap for each of the others would
    /// cost more than they ever wait for each other.
    public static func keepSmall() { clinux_limit_heaps(2) }

    /// Nothing of it reaches a core file or a crash reporter, from the start on: it holds answers.
    public static func keepPrivate() { CoreDumps.forbid() }
}
