// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Manifests as their devices signed them, in `manifests/` of the data, where `FleetRoutes` and `Mirror` put
/// them: a check of files against them does not depend on this server.
struct ManifestFolder: Sendable {
    private let path: String
    /// Files for one enrolment, at most: five years of days.
    private static let most = 2000

    init(_ directory: String) { path = directory + "/manifests" }

    /// Keeps a manifest that is signed and ignores one that is not. `others` is how many of the same enrolment have
    /// come. Throws 400 where the signature is not of these bytes, 507 where there are too many.
    func keep(_ body: [UInt8], of manifest: DeviceManifest, others: Int) throws {
        switch SignedJSON.verdict(String(decoding: body, as: UTF8.self)) {
        case .unsigned: return
        case .broken: throw HTTPFailure(400, "the manifest's signature is not of its bytes; send it as it was signed")
        case .signed: break
        }
        let part = manifest.part > 1 ? "-\(manifest.part)" : ""
        let owner = UploadFolder.safe(manifest.enrolment ?? manifest.participant)
        let file = UploadFolder.safe("\(owner)-manifest-\(manifest.day)\(part).json")
        try File.makeFolder(path)
        // A folder of 10 000 devices is too long to be listed each time.
        guard others < Self.most || access("\(path)/\(file)", F_OK) == 0 else {
            throw HTTPFailure(507, "this enrolment has \(Self.most) manifests here; move some away")
        }
        try AtomicFile.write(body, to: "\(path)/\(file)", mode: 0o600)
    }
}
