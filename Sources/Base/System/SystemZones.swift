// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Why `Zone.load` cannot give a zone.
package enum ZoneError: Error, Hashable, CustomStringConvertible {
    /// The text cannot be the name of a zone.
    case badIdentifier(String)
    /// There is no such file, or it cannot be read; `code` is errno.
    case unreadable(path: String, code: CInt)
    /// The file is not what it should be.
    case malformed(path: String, ZoneFileError)

    /// Names the zone or its file, and the remedy.
    package var description: String {
        switch self {
        case .badIdentifier(let text):
            "'\(text)' is not a time zone; use its tz database name, e.g. Europe/Berlin"
        case .unreadable(let path, let code):
            "cannot read the time zone \(path) (\(String(cString: strerror(code)))); is its name right, and tzdata installed?"
        case .malformed(let path, let error): "\(path): \(error)"
        }
    }
}

/// The zones of the system's tzdata, and the one that this computer is set to.
extension Zone {
    /// The largest zone file that is read, in bytes; the real ones stay below 4000.
    private static let largestFile = 262_144

    /// Reads a zone of the system's tzdata.
    ///
    /// Reads one small file; blocks on it. Throws `ZoneError`.
    package static func load(
        _ identifier: String, from directory: String = "/usr/share/zoneinfo"
    ) throws(ZoneError) -> Zone {
        guard isIdentifier(identifier) else { throw .badIdentifier(identifier) }
        let path = directory + "/" + identifier
        let bytes = try contents(path, limit: largestFile)
        do { return try Zone(identifier: identifier, file: bytes) } catch { throw .malformed(path: path, error) }
    }

    /// The name of the zone that this computer is set to, nil when it does not say or says
    /// it without a name.
    ///
    /// Asked in this order: `variable` (the value of the TZ variable, which the caller reads), the
    /// link `localtime`, the file `timezone`, both in the folder `configuration`.
    package static func systemIdentifier(variable: String?, configuration: String = "/etc") -> String? {
        let path = (variable ?? "").drop { $0 == ":" }
        if !path.isEmpty, path != "/etc/localtime" { return identifier(inPath: String(path)) }
        if let target = linkTarget(configuration + "/localtime"), target.contains("zoneinfo/") {
            return identifier(inPath: target)
        }
        guard let bytes = try? contents(configuration + "/timezone", limit: 4096) else { return nil }
        return identifier(inPath: String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self))
    }

    /// True for what may be the name of a zone: letters, digits, `_`, `+`, `-` between
    /// slashes, never `..`.
    private static func isIdentifier(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return text.utf8.count <= 64 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isNameByte) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "_+-".utf8.contains(byte)
    }

    /// `Europe/Berlin` of `../usr/share/zoneinfo/posix/Europe/Berlin`, or of the bare name.
    private static func identifier(inPath path: String) -> String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        if let folder = parts.lastIndex(of: "zoneinfo") { parts = parts[(folder + 1)...] }
        if let first = parts.first, first == "posix" || first == "right" { parts = parts.dropFirst() }
        let name = parts.joined(separator: "/")
        return isIdentifier(name) ? name : nil
    }

    private static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// The bytes of a file, which must not be more than `limit`.
    private static func contents(_ path: String, limit: Int) throws(ZoneError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path: path, code: errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                read(file, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path, code: errno) }
            if count == 0 { return Array(bytes.prefix(filled)) }
            filled += count
        }
        throw .unreadable(path: path, code: EFBIG)
    }
}
