// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import FoundationEssentials
import SystemKit

/// Puts everything into a folder, such as that of a disk which is plugged in: recordings under their names, answers as `<item>.answers`.
struct FolderDestination: DestinationKind {
    static let kind = "folder"
    static let takes = DestinationIntake.both
    static let keys = ["path"]
    let name: String
    private let path: String

    init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        name = settings.name
        path = try settings.required("path")
    }

    func step(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        guard FileManager.default.fileExists(atPath: path) else {
            return .finished(.retry(reason: "\(path) is not there; plug the disk in"))
        }
        switch job.content {
        case .request(let request):
            let target = "\(path)/\(job.item.item.id).answers"
            try Data(request.body).write(to: URL(filePath: target), options: .atomic)
            return try finished(target, expected: Digest(of: request.body).description)
        case .file(let file):
            let target = "\(path)/\(file.path)"
            try? FileManager.default.removeItem(atPath: target)
            try FileManager.default.copyItem(atPath: "\(job.directory)/\(file.path)", toPath: target)
            return try finished(target, expected: file.sha256)
        }
    }

    /// Only what was read back is a receipt.
    private func finished(_ target: String, expected: String) throws -> DeliveryStep {
        let found = try Digest(ofFile: target).description
        return found == expected
            ? .finished(.delivered(receipt: "\(target) sha256 \(found)"))
            : .finished(.retry(reason: "\(target) holds other bytes than were written; look at the disk"))
    }
}
