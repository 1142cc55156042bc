// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// A folder of a medium that is plugged in, such as a USB stick. What lies there is complete in itself.
///
/// A file goes to `study/participant/enrolment/file` below `path`, first as `file.part`, piece by piece.
/// The receipt is what the medium gives back: the file is synced, the kernel's copy of it dropped, and
/// all of it is read again before it gets its name. Nothing is overwritten.
///
/// `DirectoryDelivery` takes these steps; the place is the job's `location`, a name that nothing else has.
///
///     no place ──▶ place ──size of .part──▶ offset ──piece──▶ offset … ──sync, read back──▶ delivered
///        ▲                                                        │ other bytes
///        └────────────────────────────────────────────────────────┘
package struct DirectoryDestination: DestinationKind {
    package static let kind = "directory"
    package static let takes = DestinationIntake.both
    package static let keys = [DestinationKey("path", .file), DestinationKey("marker", .text)]

    package let name: String
    /// True: a file that is there is known by its name and digest.
    package let recognisesRepeats = true
    /// True: records of days (`DayRecord`) go there, so that the stick is complete in itself.
    package let keepsDayRecords = true
    let medium: Medium

    package init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        name = settings.name
        let path = try settings.required("path")
        guard path.hasPrefix("/"), path != "/" else {
            throw DestinationSettingError(
                key: "path", cause: "'\(path)' is no absolute path", remedy: "begin it with /")
        }
        let marker = settings.text("marker")
        guard marker.map({ !$0.isEmpty && !$0.contains("/") && $0 != ".." }) ?? true else {
            throw DestinationSettingError(
                key: "marker", cause: "is no file's name", remedy: "name a file in the stick's own folder")
        }
        medium = Medium(path: path, marker: marker)
    }

    package func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        do {
            let payload = try UploadPayload(job, compressing: [])
            let root = try medium.open()
            return try DirectoryDelivery(payload, job, below: root).step()
        } catch let unusable as UnusablePayload {
            return .finished(.refused(reason: unusable.reason))
        } catch let fault as MediumFault {
            return .finished(.retry(reason: "\(medium.path): \(fault.explanation)"))
        }
    }
}

/// Where a stick is mounted, and how it is known that one is.
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
