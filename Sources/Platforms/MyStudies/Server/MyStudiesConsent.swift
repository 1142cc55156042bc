// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a study asks for before somebody takes part, as `eligibilityConsent` has it. `MyStudiesMetadata`
/// fetches it, and `MyStudiesServer` checks the participant's consent against it.
struct MyStudiesConsent: Sendable, Hashable {
    /// Bounds what is logged, in characters.
    private static let longestVersion = 100

    /// Empty where the server names none: then any consent will do.
    let version: String
    /// Asks whether data may be shared, as one of the apps does: iOS (9091edbe, `getConsentSharingStep`)
    /// where `shortDesc`, `longDesc` and `learnMore` have words, Android (371f2a2, ConsentBuilder.java)
    /// where `title`, `text`, `shortDesc` and `longDesc` have.
    private let asksSharing: Bool
    /// Takes only those who share. Neither app looks at it any more (iOS 9091edbe sets it to true, Android
    /// keeps the words of the refusal alone); the study's word counts here.
    private let needsSharing: Bool

    init(_ node: JSONNode) {
        version = String((node["version"]?.text ?? "").prefix(Self.longestVersion))
        let sharing = node["sharing"]
        func has(_ keys: String...) -> Bool {
            keys.allSatisfy { sharing?[$0]?.text?.contains { !$0.isWhitespace } ?? false }
        }
        asksSharing = has("shortDesc", "longDesc") && (has("learnMore") || has("title", "text"))
        needsSharing = asksSharing && sharing?["allowWithoutSharing"]?.boolean == false
    }

    /// Throws where the study takes only those who share, and the participant was not asked.
    func refuseWithoutConsent() throws {
        guard needsSharing else { return }
        throw PlatformServerError(
            "the study takes only participants who share their data, and no consent was recorded",
            remedy: "ask the participant, and use --consent FILE (the token was not used)")
    }

    /// Throws if it is another version than the study's, or if its choice of sharing is none of the study's.
    /// Of one that `renews` an earlier consent the choice may be missing: the apps do not ask for it again.
    func check(_ consent: JoinRequest.Consent, isEnrolled: Bool = false, renews: Bool = false) throws {
        let unused = isEnrolled ? "" : " (the token was not used)"
        guard version.isEmpty || version == consent.version else {
            throw PlatformServerError(
                "the study's consent is version \(version), and the one recorded is \(consent.version)",
                remedy: "ask the participant to consent to the current one and record it" + unused)
        }
        guard asksSharing, consent.sharing != nil || !renews else { return }
        guard let sharing = consent.sharing, sharing != "NA" else {
            throw PlatformServerError(
                "the study asks whether data may be shared, and the recorded consent does not say",
                remedy: "ask the participant, and write \"sharing\": \"true\" or \"sharing\": \"false\"" + unused)
        }
        guard sharing == "true" || !needsSharing else {
            throw PlatformServerError(
                "the study takes only participants who share their data, and \"sharing\" is \"\(sharing)\"",
                remedy: "ask the study team" + unused)
        }
    }
}
