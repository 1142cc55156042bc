// SPDX-License-Identifier: Apache-2.0
import CLinux
import Hardware

/// What the whole process does about its memory.
package enum ProcessMemory {
    /// One heap for all threads, before any is started, which gives back what is freed: those that measure allocate nothing, and the others hardly
    /// ever wait for each other.
    package static func keepSmall() { clinux_keep_heap_small(64 << 10) }

    /// Gives back code and constants that only the start, or a task, needed: most of what a program and forty libraries touch while they are
    /// loaded is never used again. What is used comes back at once, so nothing but memory changes. Any thread; some milliseconds.
    package static func releaseCode() { clinux_release_code() }

    /// Nothing of it reaches a core file or a crash reporter, from the start on: it holds answers.
    package static func keepPrivate() { CoreDumps.forbid() }
}
