// SPDX-License-Identifier: Apache-2.0
import Commands
import Glibc
import SystemKit

/// Where a demo, or `studyd-tools make-study`, keeps its files: a temporary folder that goes with it, or one
/// that was named, which it never removes.
struct DemoFolder {
    let path: String
    private let temporary: TemporaryFolder?

    /// Takes a new or an empty folder; throws where the named one holds anything, because a demo
    /// writes into it as it likes. `option` is what names it, for the remedy.
    init(named path: String?, option: String = "--state") throws {
        guard let path else {
            let temporary = try TemporaryFolder("demo")
            (self.temporary, self.path) = (temporary, temporary.path)
            return
        }
        (temporary, self.path) = (nil, path)
        guard mkdir(path, 0o750) != 0 else { return }
        guard errno == EEXIST else { throw Self.fault(path, String(cString: strerror(errno)), option) }
        let names: [String]
        do { names = try FolderListing.names(in: path, most: 0) } catch {
            throw Self.fault(path, String(cString: strerror(error.code)), option)
        }
        if let first = names.first {
            throw Self.fault(path, "is not empty (it holds \(first)), so it is left alone", option)
        }
    }

    /// Removes a temporary folder that is not to be kept; true where the files are still there.
    func end(keeping: Bool) -> Bool {
        guard let temporary else { return true }
        if keeping { temporary.keep() } else { temporary.remove() }
        return keeping
    }

    private static func fault(_ path: String, _ message: String, _ option: String) -> FileError {
        FileError(path: path, message: message, remedy: "name a new or empty folder with \(option)")
    }
}
