// SPDX-License-Identifier: Apache-2.0

/// What a person asked for who wants to take part in a study, or look at it, before anything is
/// known of it.
package struct JoinRequest: Sendable, Hashable {
    /// Consent as it was recorded before the device was given out.
    package struct Consent: Sendable, Hashable {
        /// Of the consent document.
        package let version: String
        /// Whether data may be shared: `true`, `false` or `NA`; nil where nothing was said of it.
        package let sharing: String?

        package init(version: String, sharing: String?) { (self.version, self.sharing) = (version, sharing) }
    }

    /// As it was typed or read from a code: a file, a folder, an address, a key.
    package let source: String
    package let arguments: PlatformArguments
    /// Nil where none was recorded.
    package let consent: Consent?

    package init(source: String, arguments: PlatformArguments = PlatformArguments(), consent: Consent? = nil) {
        (self.source, self.arguments, self.consent) = (source, arguments, consent)
    }

    /// True for an http or https address.
    package var isAddress: Bool { source.hasPrefix("http://") || source.hasPrefix("https://") }
}

/// A study that a server offers, fetched. No one-time token has been used up yet: only
/// `EnrolmentPlan.join` does that.
package struct JoinOffer: Sendable {
    /// As it is to be kept: the file, or a bundle of several.
    package let bytes: [UInt8]
    /// Its platform; nil = the one that recognises it.
    package let platform: PlatformName?
    /// How one takes part in it.
    package let terms: EnrolmentPlan

    package init(bytes: [UInt8], platform: PlatformName? = nil, terms: EnrolmentPlan = EnrolmentPlan()) {
        (self.bytes, self.platform, self.terms) = (bytes, platform, terms)
    }
}

/// How to take part in a study. The closures block.
package struct EnrolmentPlan: Sendable {
    /// Where records go unless an option of the enrolment says otherwise; nil = as the study says.
    package var postURL: String?
    /// What is known of the participant before the first run, asked once the study has been read;
    /// uses nothing up.
    package var variables: @Sendable (StudyProtocol) throws -> [String: AnswerValue]
    /// Enrols at the server, once everything else is right, and gives the name by which it knows
    /// the participant; nil = the platform has no enrolment. Not repeated by itself.
    package var join: (@Sendable () throws -> String)?
    /// The version of the consent that the study asks for, empty where it asks for none; nil = not known.
    package var consentVersion: String?

    /// Without arguments: nothing is known of the participant, and no server is asked.
    package init(
        postURL: String? = nil,
        variables: @escaping @Sendable (StudyProtocol) throws -> [String: AnswerValue] = { _ in [:] },
        join: (@Sendable () throws -> String)? = nil
    ) {
        self.postURL = postURL
        self.variables = variables
        self.join = join
    }
}
