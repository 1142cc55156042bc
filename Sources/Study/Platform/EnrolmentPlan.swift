// SPDX-License-Identifier: Apache-2.0

/// How to take part in a study: a platform makes it for `studyd enroll` and `studyd provision`, through
/// `StudyFinder`. The closures block.
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
