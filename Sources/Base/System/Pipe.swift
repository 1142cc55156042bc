// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A pipe. Both ends are close-on-exec: a started program has only the one that it is given as a
/// standard stream. Programs that are started talk through it.
package struct Pipe: ~Copyable, Sendable {
    /// Where the bytes come out.
    package let reading: Descriptor
    /// Where the bytes go in.
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
