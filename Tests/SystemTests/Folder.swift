// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A folder for one test, which goes with it.
final class Folder {
    let path: String
    private var isMounted = false

    init() throws {
        var template = Array("/tmp/studyd-files-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "make a folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if isMounted { umount2(path, CInt(MNT_DETACH)) }
        FolderRemoval.remove(path)
    }

    /// A file system of a megabyte from now on.
    func mountSmall() -> Bool {
        isMounted = mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0
        return isMounted
    }

    var names: [String] { FolderListing.readable(path) }

    func text(_ name: String) -> String {
        guard let file = fopen("\(path)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
