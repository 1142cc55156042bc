// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Where this program lies, for `Resource` and the demo's `LabServer`: what comes with it, and
/// `study-receiver`, lie beside it.
package enum ExecutablePath {
    package static func current() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let start = bytes.baseAddress else { return -1 }
            return readlink("/proc/self/exe", start, bytes.count)
        }
        guard count > 0 else { throw FileError.last("/proc/self/exe") }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
