// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import FoundationEssentials
import SystemKit

/// Puts everything into a folder, such as that of a disk which is plugged in: recordings under
/// their names, answers as `<item>.answers`.
struct FolderDestination: DestinationKind {
    static let kind = "folder"
    static let takes = DestinationIntake.both
    static let keys = [DestinationKey("path", .file), DestinationKey("largest_kib", .size(1...1 << 30))]
    let name: String
    private let path: String
    private let largest: Int64

    init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        name = settings.name
        path = try settings.required("path")
        largest = settings.size("largest_kib") ?? .max
    }

    /// A disk that is not there is waited for.
    func open(_ client: HTTPClient) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw DestinationSettingError(key: "path", cause: "\(path) is not there", remedy: "plug the disk in")
        }
    }

    func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        guard job.item.item.bytes <= largest else { return .finished(.refused(reason: "larger than largest_kib")) }
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
