// SPDX-License-Identifier: Apache-2.0
import Base
import Platforms
import Study
import SystemKit

/// The ways to a study: from its bytes, from what a person names, and from the store of an enrolment.
extension LoadedStudy {
    /// A study of these bytes; throws `StudyFormatError` with every problem found.
    package init(_ bytes: [UInt8], origin: String, platform name: PlatformName? = nil) throws {
        let source = StudyBundle.source(bytes) ?? StudySource(bytes, name: origin)
        let platform = try PlatformCatalog.standard.platform(of: source, named: name)
        let study = try platform.reader.decode(source)
        try Self.check(recipient: study.writer.recipient)
        self.init(study, of: platform, bytes: bytes, origin: origin)
    }

    /// A certificate to which nothing can be encrypted is found out before the enrolment.
    private static func check(recipient: String?) throws(StudyFormatError) {
        guard let recipient else { return }
        do throws(CMSError) {
            _ = try CMSEnvelope.encrypt([], to: recipient)
        } catch {
            throw StudyFormatError(
                path: StudyCertificate.path, line: nil, expected: "an X.509 certificate in PEM with an RSA key",
                found: "one that cannot be used for encryption")
        }
    }

    /// Reads the study that `source` names, only to look at it: a file, a folder, or what a
    /// platform has a server for.
    package static func load(
        _ source: String, platform: PlatformName? = nil, arguments: PlatformArguments = PlatformArguments(),
        of platforms: PlatformCatalog = .standard
    ) throws -> LoadedStudy {
        try find(source, platform: platform, arguments: arguments, of: platforms).loaded
    }

    /// The same, and how to take part in it.
    package static func find(
        _ source: String, platform: PlatformName? = nil, arguments: PlatformArguments = PlatformArguments(),
        of platforms: PlatformCatalog = .standard
    ) throws -> (loaded: LoadedStudy, terms: EnrolmentPlan) {
        let request = JoinRequest(source: source, arguments: arguments)
        return try StudyFinder(platforms: platforms, device: StudyConnection()).find(request, platform: platform)
    }
}

extension StudyDatabase {
    /// The study of an enrolment, as it was received; nil when its file, or that of its rules, is gone or damaged.
    /// Read on another thread: the store's thread goes on to commit answers.
    package nonisolated func loadedStudy(_ record: EnrolmentRecord) async throws -> LoadedStudy? {
        guard let bytes = try await studyFile(record.fileDigest) else { return nil }
        var rules: [UInt8]?
        if let digest = record.rules {
            rules = try await studyFile(digest)
            if rules == nil { return nil }
        }
        let name = PlatformName(rawValue: record.platform)
        // Where this program no longer has the platform, another one may understand the file.
        let isKnown = PlatformCatalog.standard[name] != nil
        return try await onThread("studyd-load") { [rules] in
            try LoadedStudy(bytes, origin: record.source, platform: isKnown ? name : nil).without(record.without ?? [])
                .with(rules: rules)
        }
    }

    /// The same for what is impossible without it: throws where the file is gone or damaged.
    package nonisolated func requiredStudy(_ record: EnrolmentRecord) async throws -> LoadedStudy {
        guard let loaded = try await loadedStudy(record) else { throw EnrolmentError.studyLost(record.lostStudy) }
        return loaded
    }
}
