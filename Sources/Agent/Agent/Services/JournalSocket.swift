// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Writes entries with fields to systemd's journal for `JournalLogHandler`: a datagram each, in its native protocol
/// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
package struct JournalSocket: Sendable {
    /// Where journald listens (systemd-journald.service(8)).
    package static let standard = "/run/systemd/journal/socket"
    /// A longer value is cut: what is larger than a datagram would have to go as a file.
    static let longest = 16_384
    private let path: String

    package init(_ path: String = standard) { self.path = path }

    /// False where no journal took it. Does not block.
    func send(_ fields: [(name: String, value: String)]) -> Bool {
        sockaddr_un(path: path)?.send(Self.datagram(fields)) ?? false
    }

    /// `NAME=value` lines; a value with a line break has its length before it, 64 bits,
    /// little-endian.
    static func datagram(_ fields: [(name: String, value: String)]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in
            // A letter that is cut in two becomes U+FFFD: journalctl shows nothing of what is no text.
            let value = Array(String(decoding: field.value.utf8.prefix(longest), as: UTF8.self).utf8)
            guard value.contains(UInt8(ascii: "\n")) else {
                return Array(field.name.utf8) + [UInt8(ascii: "=")] + value + [UInt8(ascii: "\n")]
            }
            let length = withUnsafeBytes(of: UInt64(value.count).littleEndian) { Array($0) }
            return Array(field.name.utf8) + [UInt8(ascii: "\n")] + length + value + [UInt8(ascii: "\n")]
        }
    }
}
