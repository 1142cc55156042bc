// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What `Enroller.enrol` is asked for, once the study is read: made from an `EnrolmentRequest`, by the demo or by a
/// made study.
package struct EnrolmentOptions: Sendable {
    package var loaded: LoadedStudy
    /// The pseudonym; nil = that of the enrolment before on this device, else a new one is drawn.
    package var participant: String?
    /// All draws follow from it, for trials that can be repeated; nil = random.
    package var seed: UInt64?
    /// Where records go; nil = to the study's own address.
    package var postURL: String?
    /// Enrols though sounds of the study cannot be played.
    package var allowsSilence = false
    /// Keys of tasks that are left out because this board cannot ask them; the log records it.
    package var without: [String] = []
    package var holdTimes = HoldTimes.usual
    /// The key by which the lab's receiver knows this device; nil = the one it has, else a new one.
    package var deviceKey: DeviceKey?
    /// The code by which the lab's receiver takes that key as this participant's; nil = another way.
    package var code: EnrolmentCode?
    /// Consent as the assistant recorded it; nil where the platform has none.
    package var consent: ConsentRecord?
    /// The version that the study asks for, empty where it asks for none; nil = not known.
    package var consentVersion: String?
    /// Nil = the study runs without rules.
    package var rules: RulesFile?
    /// Values that outlive runs and are known before the first.
    package var variables: [String: AnswerValue] = [:]
    /// Enrols at the platform's server, once everything else is right, and gives the key by
    /// which it knows the participant; blocks. nil = the platform has no enrolment.
    package var join: (@Sendable () throws -> String)?

    package init(loaded: LoadedStudy, participant: String? = nil, seed: UInt64? = nil, postURL: String? = nil) {
        self.loaded = loaded
        self.participant = participant
        self.seed = seed
        self.postURL = postURL
    }
}
