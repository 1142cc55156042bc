// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What `studyd enroll` was asked for, before anything is known about the study. A running agent gets it over
/// the control socket, as JSON.
package struct EnrolmentRequest: Codable, Sendable, Hashable {
    /// A file, a folder, an address, or whatever else a platform takes.
    package let source: String
    /// The platform, instead of what the source looks like.
    package var platform: PlatformName?
    package var arguments = PlatformArguments()
    package struct Consent: Codable, Sendable, Hashable {
        package let text: String
        /// Its path, for messages.
        package let file: String

        package init(text: String, file: String) {
            self.text = text
            self.file = file
        }
    }
    /// The file of `--consent`; nil = none was given.
    package var consent: Consent?
    // As in `EnrolmentOptions`, which `loadOptions` makes of it.
    package var rules: RulesFile?
    package var participant: String?
    package var seed: UInt64?
    /// Text of a `DeviceKey`.
    package var deviceKey: String?
    /// Text of an `EnrolmentCode`.
    package var code: String?
    package var postURL: String?
    package var allowsSilence = false
    package var without: [String] = []
    package var holdTimes = HoldTimes.usual

    package init(source: String) { self.source = source }

    /// Fetches and reads the study; blocks. Nothing that cannot be taken back is done: a token is
    /// used up by `Enroller`, after the board has been found able. `lost` is the digest of a study that is to
    /// be put back.
    package func loadOptions(_ platforms: PlatformCatalog, lost: String? = nil) throws -> EnrolmentOptions {
        try platforms.check(arguments)
        let consent = try consent.map { try ConsentRecord(parsing: Array($0.text.utf8), file: $0.file) }
        let request = JoinRequest(source: source, arguments: arguments, consent: consent?.asked)
        let (loaded, terms) = try UnreadableStudy.naming(source) {
            try StudyFinder(platforms: platforms, device: StudyConnection(), lost: lost).find(
                request, platform: platform)
        }
        var options = EnrolmentOptions(
            loaded: loaded, participant: participant, seed: seed, postURL: postURL ?? terms.postURL)
        options.allowsSilence = allowsSilence
        options.without = without
        options.holdTimes = holdTimes
        options.consent = consent
        options.consentVersion = terms.consentVersion
        options.rules = rules
        options.deviceKey = deviceKey.flatMap(DeviceKey.init)
        options.code = code.flatMap(EnrolmentCode.init)
        options.variables = try terms.variables(loaded.study)
        options.join = terms.join
        return options
    }
}
