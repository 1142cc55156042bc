// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An open file descriptor; its one owner closes it.
struct OwnedDescriptor: ~Copyable, Sendable {
    let rawValue: CInt

    init(opening path: String, flags: CInt, mode: mode_t = 0o600) throws(SimulationError) {
        rawValue = open(path, flags | O_CLOEXEC, mode)
        guard rawValue >= 0 else { throw SimulationError(operation: "open", place: path, code: errno) }
    }

    deinit { close(rawValue) }

    /// Writes once and returns how many bytes were written; 0 where the write failed or would have to wait.
    func write(some bytes: ArraySlice<UInt8>) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            guard errno == EINTR else { return 0 }
        }
    }
}
