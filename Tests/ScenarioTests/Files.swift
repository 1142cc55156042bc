// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Small files and folders of a scenario.
enum Files {
    /// The text of a file, empty where there is none.
    static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return text(descriptor)
    }

    /// The text of an open file from its beginning, also of one that has been removed.
    static func text(_ descriptor: CInt) -> String {
        lseek(descriptor, 0, SEEK_SET)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of a file, none where there is none.
    static func bytes(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let isNew = access(path, F_OK) != 0
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Complaint("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        // An agent that another test runs in this process takes rights away from all new files.
        if isNew { fchmod(descriptor, 0o644) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Complaint("\(path): \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    /// The names in a folder, none where there is none.
    static func names(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func temporaryFolder(_ name: String) throws -> String {
        var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Complaint("/tmp: \(String(cString: strerror(errno)))") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Takes a folder of /tmp away, with everything in it.
    static func remove(_ path: String) {
        guard path.hasPrefix("/tmp/studyd-") else { return }
        for name in names(path) {
            let inner = path + "/" + name
            if unlink(inner) != 0 { remove(inner) }
        }
        rmdir(path)
    }
}
