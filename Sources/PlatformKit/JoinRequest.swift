// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What somebody asked for who wants to take part in a study, or look at it, before anything is known of it.
public struct JoinRequest: Sendable, Hashable {
    /// Consent as it was recorded before the device was given out.
    public struct Consent: Sendable, Hashable {
        /// Of the consent document.
        public let version: String
        /// Whether data may be shared: `true`, `false` or `NA`.
        public let sharing: String

        public init(version: String, sharing: String) {
            self.version = version
            self.sharing = sharing
        }
    }

    /// As it was typed or read from a code: a file, a folder, an address, a key.
    public let source: String
    /// Options of the platforms.
    public let arguments: PlatformArguments
    /// Nil where none was recorded.
    public let consent: Consent?

    public init(source: String, arguments: PlatformArguments = PlatformArguments(), consent: Consent? = nil) {
        self.source = source
        self.arguments = arguments
        self.consent = consent
    }

    /// True for an http or https address.
    public var isAddress: Bool { source.hasPrefix("http://") || source.hasPrefix("https://") }
}

/// A study that a server offers, fetched, with nothing used up yet.
public struct JoinOffer: Sendable {
    /// As it is to be kept: the file, or a bundle of several.
    public let bytes: [UInt8]
    /// Whose it is; nil = whoever recognises it.
    public let platform: PlatformName?
    /// How one takes part in it.
    public let terms: EnrolmentPlan

    public init(bytes: [UInt8], platform: PlatformName? = nil, terms: EnrolmentPlan = EnrolmentPlan()) {
        self.bytes = bytes
        self.platform = platform
        self.terms = terms
    }
}

/// How somebody takes part in a study. The closures block.
public struct EnrolmentPlan: Sendable {
    /// Where records go unless whoever enrols says otherwise; nil = as the study says.
    public var postURL: String?
    /// What is known of the participant before the first run, asked once the study has been read; uses nothing up.
    public var variables: @Sendable (StudyProtocol) throws -> [String: AnswerValue]
    /// Enrols at the server, once everything else is right, and gives the name by which it knows the participant; nil = the platform has no enrolment
    /// of its own. Not repeated by itself.
    public var join: (@Sendable () throws -> String)?

    /// By itself: nothing is known, and nobody is asked.
    public init(
        postURL: String? = nil,
        variables: @escaping @Sendable (StudyProtocol) throws -> [String: AnswerValue] = { _ in [:] },
        join: (@Sendable () throws -> String)? = nil
    ) {
        self.postURL = postURL
        self.variables = variables
        self.join = join
    }
}
