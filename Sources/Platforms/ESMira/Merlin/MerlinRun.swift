// SPDX-License-Identifier: Apache-2.0

/// What came of a run of a script; at the end of a questionnaire `ESMiraEnding` carries out the effects and
/// keeps `globals`.
package struct MerlinRun: Sendable {
    /// The value of `return`, or of the last expression, as truth and as text; nil when
    /// the script failed.
    package let result: (isTrue: Bool, text: String)?
    /// The object `globals` as it is now, to be kept with the study. After a failure too: what was
    /// set before it stays.
    package let globals: MerlinValue
    /// In the order of the calls. After a failure, those before it.
    package let effects: [MerlinEffect]
    /// Why the script failed; nil = it ended normally.
    package let problem: MerlinProblem?
}

/// What a script wants done.
package enum MerlinEffect: Sendable {
    /// The value of a virtual input.
    case virtualItem(name: String, value: String)
    /// The time of a questionnaire's last notification is now; where `isShown`, the participant is
    /// asked to fill it out, as by an invitation.
    case questionnaire(internalID: Int, message: String, timeoutMinutes: Int, isShown: Bool)
    case notification(String)
    case message(String)
    /// A line for the study's researchers, uploaded as the errors are.
    case log(String)
}
