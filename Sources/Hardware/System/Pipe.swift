// SPDX-License-Identifier: Apache-2.0
import CLinux

/// A pipe inside the process, neither end of which blocks: what a simulated board presses its keys through.
public struct Pipe: ~Copyable, Sendable {
    /// Where the bytes come out.
    public let reading: Descriptor
    /// Where the bytes go in.
    public let writing: Descriptor

    /// A new pipe; `name` is for messages.
    public init(name: String) throws(SystemError) {
        var ends: [CInt] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw SystemError.last("make a pipe for", name) }
        reading = Descriptor(owning: ends[0], path: name)
        writing = Descriptor(owning: ends[1], path: name)
    }
}
