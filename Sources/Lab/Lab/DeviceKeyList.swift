// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Lines `participant,key`: the public key behind the last comma, so that a name may have commas; as
/// a spreadsheet saves them, with a byte order mark or CRLF. A first line with a word in place of the
/// key is a header.
struct DeviceKeyList: Sendable {
    let keys: [(user: String, key: String)]

    init(_ bytes: [UInt8], from file: String) throws {
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw FileError(path: file, message: "is not UTF-8", remedy: "save it as CSV in UTF-8")
        }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        var keys: [(user: String, key: String)] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.trimmed.isEmpty, !line.hasPrefix("#") else { continue }
            let comma = line.lastIndex(of: ",")
            let user = comma.map { Self.unquoted(line[..<$0].trimmed) } ?? ""
            let key = comma.map { Self.unquoted(line[line.index(after: $0)...].trimmed).lowercased() } ?? ""
            guard key.utf8.count == 64, [UInt8](hexadecimal: key) != nil, !user.isEmpty,
                user.count <= DeviceName.longest
            else {
                if index == 0, key.utf8.count < 32, key.contains(where: { !$0.isHexDigit }) { continue }
                throw FileError(
                    path: file, message: "line \(index + 1) is not `participant,key`",
                    remedy: "write 64 hexadecimal digits after the comma; nothing was imported")
            }
            keys.append((user, key))
        }
        self.keys = keys
    }

    private static func unquoted(_ text: Substring) -> String {
        text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : String(text)
    }
}
