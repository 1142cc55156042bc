// SPDX-License-Identifier: Apache-2.0
import AgentCore
import PlatformKit
import StudyModel
import SystemKit

/// Finds the study that somebody asked for: at the server of the platform that is surest of being meant, else in a file or a folder. Blocks.
struct StudyFinder {
    private let platforms: PlatformCatalog
    private let device: any PlatformDevice

    /// Among these platforms, as the configuration has them.
    init(_ platforms: PlatformCatalog, over device: any PlatformDevice) {
        self.platforms = platforms
        self.device = device
    }

    /// The study, and how one takes part in it; uses nothing up. `platform` is whose it is, where somebody said so.
    func find(_ request: JoinRequest, platform name: PlatformName?) throws -> (
        loaded: LoadedStudy, terms: EnrolmentPlan
    ) {
        if let claimant = platforms.claimant(of: request, named: name) {
            guard let server = claimant.server(over: device) else {
                let table = type(of: claimant).table ?? claimant.name.rawValue
                throw PlatformServerError(
                    "the configuration has no [\(table)] table", remedy: "see docs/studyd.toml")
            }
            let offer = try server.offer(request)
            return (try loaded(offer.bytes, request, offer.platform ?? name), offer.terms)
        }
        if !request.isAddress, StudyFolder.isFolder(request.source) {
            let files = try StudyFolder.files(in: request.source)
            let owner = try platforms.platform(of: StudySource(files: files), named: name)
            let options = owner.reader.completed(try owner.choices(request.arguments))
            let bytes = StudyBundle.bytes(files, options: options)
            return (try LoadedStudy(bytes, origin: request.source, platform: owner.name), EnrolmentPlan())
        }
        let bytes = try request.isAddress ? device.get(request.source) : BoundedFile.read(request.source)
        return (try loaded(bytes, request, name), EnrolmentPlan())
    }

    /// A single file stays as it is unless something was chosen for it; choices are kept with it.
    private func loaded(_ bytes: [UInt8], _ request: JoinRequest, _ name: PlatformName?) throws -> LoadedStudy {
        guard StudyBundle.source(bytes) == nil else {
            return try LoadedStudy(bytes, origin: request.source, platform: name)
        }
        let owner = try platforms.platform(of: StudySource(bytes, name: request.source), named: name)
        let options = try owner.choices(request.arguments)
        let kept =
            options.isEmpty ? bytes : StudyBundle.bytes([.init(name: "study.json", bytes: bytes)], options: options)
        return try LoadedStudy(kept, origin: request.source, platform: owner.name)
    }
}
