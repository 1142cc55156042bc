// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import StudyModel

/// What `studyd enroll` was asked for, before anything is known about the study.
public struct EnrolmentRequest: Sendable {
    /// A file, a folder, an address, or whatever else a platform takes.
    public var source: String
    /// The platform, instead of what the source looks like.
    public var platform: PlatformName?
    /// Options of the platforms.
    public var arguments = PlatformArguments()
    /// The text of a consent file, with its path.
    public var consent: (bytes: [UInt8], file: String)?
    /// The pseudonym; nil = drawn, or the platform's.
    public var participant: String?
    /// From which the draws follow; nil = random.
    public var seed: UInt64?
    /// Where records go; nil = as the platform or the study says.
    public var postURL: String?
    /// Enrols though sounds cannot be played.
    public var allowsSilence = false

    /// A request for that source.
    public init(source: String) { self.source = source }

    /// Fetches and reads the study; blocks. Nothing that cannot be taken back is done: a token is used up by `Enroller`, after the
    /// board has been found able.
    public func wish(_ platforms: PlatformCatalog) throws -> Enroller.Wish {
        try platforms.check(arguments)
        let consent = try consent.map { try ConsentRecord(parsing: $0.bytes, file: $0.file) }
        let request = JoinRequest(
            source: source, arguments: arguments,
            consent: consent.map { .init(version: $0.version, sharing: $0.sharing) })
        let (loaded, terms) = try StudyFinder(platforms, over: StudyConnection()).find(request, platform: platform)
        var wish = Enroller.Wish(
            loaded: loaded, participant: participant, seed: seed, postURL: postURL ?? terms.postURL)
        wish.allowsSilence = allowsSilence
        wish.consent = consent
        wish.variables = try terms.variables(loaded.study)
        wish.join = terms.join
        return wish
    }
}
