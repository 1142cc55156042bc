// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Where a stick is mounted, and how it is known that one is. `StickWatch` looks whether it is there,
/// `DirectoryDelivery` writes to it.
package struct Medium: Sendable, Hashable {
    let path: String
    /// A file in the stick's own folder; nil = another file system has to be mounted there.
    let marker: String?

    /// False where nothing is mounted: the card's own folder is never written to.
    var isThere: Bool {
        do throws(MediumFault) {
            _ = try open()
            return true
        } catch { return false }
    }

    /// Throws where it is not there. What is opened stays this medium, whatever is mounted or pulled
    /// out meanwhile; it keeps a medium from being unmounted for as long as it is open.
    func open() throws(MediumFault) -> Descriptor {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw MediumFault(errno, "not plugged in") }
        let root = Descriptor(owning: folder, path: path)
        if let marker {
            guard faccessat(folder, marker, F_OK, 0) == 0 else {
                throw MediumFault("there is no file \(marker)", remedy: "plug in the stick of this study")
            }
            return root
        }
        var (own, parent) = (stat(), stat())
        guard fstat(folder, &own) == 0, stat(path + "/..", &parent) == 0, own.st_dev != parent.st_dev else {
            throw MediumFault("nothing is mounted there", remedy: "plug in the stick")
        }
        return root
    }
}

/// Why a medium does not take something; all of it can be put right, so it is tried again.
struct MediumFault: ExplainedError {
    let explanation: Explanation

    init(_ cause: String, remedy: String) { explanation = Explanation(cause: cause, remedy: remedy) }

    init(_ code: CInt, _ operation: String) {
        let (cause, remedy): (String, String) =
            switch code {
            case ENOSPC, EDQUOT: ("the stick is full", "copy what is on it, empty it, and plug it in again")
            case EROFS:
                ("the stick is read-only", "open its lock; if it has none, have the computer check it for errors")
            case EFBIG: ("its file system takes no larger file", "format the stick with exFAT")
            case EACCES, EPERM: ("studyd may not write there", "mount it for the user studyd (uid=studyd)")
            case ENOENT, ENOTDIR: ("it is not there", "plug in the stick")
            case EIO, ENODEV, ENXIO: ("the stick was pulled out, or is broken", "plug it in again, or use another one")
            default: (String(cString: strerror(code)), "look at the stick")
            }
        self.init("\(operation): \(cause)", remedy: remedy)
    }
}
