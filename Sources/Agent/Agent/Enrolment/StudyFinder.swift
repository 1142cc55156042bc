// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Finds the study that a command was asked for: at the server of the platform with the surest claim, else in
/// a file or a folder. Blocks.
struct StudyFinder {
    let platforms: PlatformCatalog
    let device: any PlatformDevice
    var clock: any StudyClock = SystemClock()
    /// The digest of a study that was enrolled in and lost.
    var lost: String?

    /// The study, and how to take part in it; uses nothing up. `platform` is its platform, where it
    /// was named.
    func find(_ request: JoinRequest, platform name: PlatformName?) throws -> (
        loaded: LoadedStudy, terms: EnrolmentPlan
    ) {
        let lines = request.isAddress ? nil : StudySettingsLines(in: request.source)
        do {
            let (found, terms) = try search(request, platform: name)
            // What was taken once is put back as it was: other bytes would be another study.
            let isLost = try lost.map { try Digest(of: found.bytes).description == $0 } ?? false
            let loaded = isLost ? found : try StudyCertificate.checked(found, at: clock.now)
            return (lines?.placing(loaded) ?? loaded, terms)
        } catch let error as StudyFormatError {
            throw lines?.placing(error) ?? error
        }
    }

    private func search(_ request: JoinRequest, platform name: PlatformName?) throws -> (
        loaded: LoadedStudy, terms: EnrolmentPlan
    ) {
        if let claimant = platforms.claimant(of: request, named: name) {
            guard let server = claimant.server(over: device) else {
                let table = type(of: claimant).table ?? claimant.name.rawValue
                throw PlatformServerError(
                    "the configuration has no [\(table)] table", remedy: "see docs/studyd.toml")
            }
            let offer = try server.offer(request)
            try refuseWebPage(offer.bytes, request)
            return (try loaded(offer.bytes, request, offer.platform ?? name), offer.plan)
        }
        if !request.isAddress, File.isFolder(request.source) {
            return (try bundled(StudyFolder.files(in: request.source), request, name), EnrolmentPlan())
        }
        // A single file. With those beside it that it refers to it becomes a bundle.
        let bytes = try request.isAddress ? device.get(request.source) : BoundedFile.read(request.source)
        try refuseWebPage(bytes, request)
        if !request.isAddress, StudyBundle.source(bytes) == nil,
            let files = try withCompanions(bytes, request, name), files.count > 1
        {
            return (try bundled(files, request, name), EnrolmentPlan())
        }
        return (try loaded(bytes, request, name), EnrolmentPlan())
    }

    private func bundled(
        _ files: [StudySource.File], _ request: JoinRequest, _ name: PlatformName?
    ) throws -> LoadedStudy {
        let owner = try platforms.platform(of: StudySource(files: files), named: name)
        let options = owner.reader.completed(try owner.choices(request.arguments))
        let bytes = StudyBundle.bytes(files, options: options)
        return try LoadedStudy(bytes, origin: request.source, platform: owner.name)
    }

    /// No study begins with `<`.
    private func refuseWebPage(_ bytes: [UInt8], _ request: JoinRequest) throws {
        guard request.isAddress, bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return }
        throw PlatformServerError(
            "is a web page, and no study", at: request.source,
            remedy: "use the address of the study's file, e.g. …/study/NAME.json of a study-receiver")
    }

    /// A file with those beside it that it needs; nil where it is of no platform.
    private func withCompanions(
        _ bytes: [UInt8], _ request: JoinRequest, _ name: PlatformName?
    ) throws -> [StudySource.File]? {
        let main = StudySource.File(name: StudyFolder.name(of: request.source), bytes: bytes)
        guard let owner = try? platforms.platform(of: StudySource(files: [main]), named: name) else { return nil }
        return try StudyFolder.files(beside: request.source, main) { owner.reader.companions(of: $0) }
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
