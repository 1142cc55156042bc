// SPDX-License-Identifier: Apache-2.0

/// What a person asked for who wants to take part in a study, or look at it, before anything is known of it:
/// commands make it of their options, for `StudyFinder`.
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
