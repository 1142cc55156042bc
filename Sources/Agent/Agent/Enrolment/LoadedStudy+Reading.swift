// SPDX-License-Identifier: Apache-2.0
import Base
import Platforms
import Study
import SystemKit

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

/// A study that cannot be taken, by the name under which it was asked for: the problems name places within it alone.
package struct UnreadableStudy: ExplainedError, Sendable, Hashable {
    /// A file, a folder or an address.
    let source: String
    let error: StudyFormatError

    package var explanation: Explanation { Explanation(place: source, cause: "cannot be run:\n\(error)") }

    package static func naming<Result>(_ source: String, _ read: () throws -> Result) throws -> Result {
        do { return try read() } catch let error as StudyFormatError {
            throw UnreadableStudy(source: source, error: error)
        }
    }
}
