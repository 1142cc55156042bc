// SPDX-License-Identifier: Apache-2.0

/// The names of `StudyEvent.serverFact` rows: what a study's server said, and what is known of the study
/// itself. `Enroller`, the services that ask servers and the conductor write them; `studyd status` and
/// `studyd messages` read them.
package enum ServerFact {
    /// The state of the study, in the platform's own word.
    package static let status = "status"
    /// A message of those who run the study.
    package static let message = "message"
    /// Why the server takes nothing more of this participant, in its own words.
    package static let refusal = "refusal"
    /// The version of the study as the server counts it.
    package static let version = "version"
    /// The version of the consent that the study asks for; empty where it asks for none.
    package static let consent = "consent"
    package static let reward = "reward"
    /// The key of a task that was taken out of the study; until another version is followed.
    package static let retired = "retired"
    /// A text of the study that was opened to the participant.
    package static let resource = "resource"
    /// The server that hears of the participant's progress knew the enrolment.
    package static let joined = "joined"
    /// Whether the server that hears of the participant's progress lacks the consent: `owed`, or empty.
    package static let owedConsent = "owed-consent"
    /// The planned prompts that were reported to the server, as `PlanWatch.text`.
    package static let planned = "planned"
    /// Since when the study has been lost, in nanoseconds since 1970; empty once it is back.
    package static let lost = "lost"
}
