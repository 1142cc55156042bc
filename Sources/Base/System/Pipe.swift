// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A pipe of the kernel, through which this program and those that it starts exchange bytes (`BoundedProgram`).
/// Both ends are close-on-exec: a started program has only the one that it is given as a standard stream.
package struct Pipe: ~Copyable, Sendable {
    /// The end that is read from.
    package let reading: Descriptor
    /// The end that is written to.
    package let writing: Descriptor

    /// A new pipe; `name` is for messages. Neither end blocks, unless `isBlocking`, for a pipe of
    /// which a program gets an end: programs expect reads and writes that block.
    package init(name: String, isBlocking: Bool = false) throws(SystemError) {
        var ends: [CInt] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw SystemError.last("make a pipe for", name) }
        if isBlocking { for end in ends { _ = fcntl(end, F_SETFL, 0) } }
        reading = Descriptor(owning: ends[0], path: name)
        writing = Descriptor(owning: ends[1], path: name)
    }

    /// Keeps the reading end; the other is closed.
    package consuming func readingEnd() -> Descriptor { reading }

    /// Keeps the writing end; the other is closed.
    package consuming func writingEnd() -> Descriptor { writing }
}
