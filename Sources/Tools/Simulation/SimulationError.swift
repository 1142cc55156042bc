// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A simulated device could not be made: the operating system refused, and said why.
package struct SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried: `open`, `write`.
    let operation: String
    let place: String
    /// `errno` right after the call.
    let code: CInt

    package var description: String { "cannot \(operation) \(place): \(String(cString: strerror(code)))" }
}
