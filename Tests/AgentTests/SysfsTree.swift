// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A folder with files as the kernel's sysfs has them; it goes with the value.
final class SysfsTree {
    let path: String

    init() throws {
        var template = Array("/tmp/studyd-sysfs-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SysfsTreeError() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// The text of a file below the root; nil takes it away.
    subscript(_ name: String) -> String? {
        get { nil }
        set {
            let parts = name.split(separator: "/")
            var folder = path
            for part in parts.dropLast() {
                folder += "/" + part
                mkdir(folder, 0o755)
            }
            guard let newValue else {
                unlink("\(path)/\(name)")
                return
            }
            let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            _ = Array(newValue.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            close(file)
        }
    }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
                if name != ".", name != ".." { remove(path + "/" + name) }
            }
            closedir(folder)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

private struct SysfsTreeError: Error {}
