// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// The wire from a simulated chip's interrupt pin to a GPIO line: a pipe of time stamps. Its chip
/// raises it on any thread, the bus's thread takes the edges. `SimulatedPin` raises it in tests.
package final class SimulatedLine: InterruptLine, Sendable {
    private let pipe: Pipe

    package init() throws(SystemError) { pipe = try Pipe(name: "pipe") }

    /// The pipe's reading end, which the line owns and closes.
    package var descriptor: CInt { pipe.reading.rawValue }

    /// The line rises at `time`. When edges are not read for long, later ones are dropped, as by
    /// the kernel.
    package func rise(at time: MonotonicTime) {
        var stamp = time.nanoseconds
        _ = write(pipe.writing.rawValue, &stamp, 8)
    }

    /// Empties the pipe; the newest time that `rise` was given, nil when there was none. Never
    /// throws: an empty pipe is no error.
    package func readEdge() throws(SystemError) -> MonotonicTime? {
        var stamp: Int64 = 0
        var newest: MonotonicTime?
        while read(pipe.reading.rawValue, &stamp, 8) == 8 { newest = MonotonicTime(nanoseconds: stamp) }
        return newest
    }
}
