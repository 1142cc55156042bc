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
