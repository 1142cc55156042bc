// SPDX-License-Identifier: Apache-2.0

/// What a script sees of the world: `ESMiraScriptHost`. `MerlinLibrary` asks during a run, and the answer must
/// come at once.
package protocol MerlinHost {
    /// The answer to an item, "" where there is none yet, nil where there is no such item. Of
    /// several of this name the last page's counts.
    func answer(_ item: String) -> String?
    /// What is sent beside an item's answer as `item~key`; nil where there is nothing of this key.
    func addition(_ item: String, _ key: String) -> String?
    func fact(_ fact: MerlinFact) -> MerlinValue
    func hasVirtualItem(_ name: String) -> Bool
    /// Whether a questionnaire of the study could be filled out now if it had just been notified;
    /// nil where there is none of this number.
    func isFillable(internalID: Int) -> Bool?
    /// Milliseconds since 1970.
    var now: Int64 { get }
    /// The last local midnight, in milliseconds since 1970.
    var midnight: Int64 { get }
    /// Calendar days since the participant joined.
    var day: Int { get }
    /// The language of the device, as `de`.
    var language: String { get }
}

/// What `getQuestionnaireVar` knows beside the items, by the names that scripts use. An item of the
/// same name cannot be read.
package enum MerlinFact: String, Sendable, CaseIterable {
    case group
    case studyID = "studyId"
    case studyVersion
    case studyLanguage = "studyLang"
    case questionnaireName, appType, appVersion
    case timeZone = "timezone"
    case timeZoneOffset = "timezoneOffset"
}
