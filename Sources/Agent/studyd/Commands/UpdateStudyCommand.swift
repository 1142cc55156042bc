// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import SystemKit

/// `studyd update-study`: looks for a new version, messages and dates at the study's servers, or records the consent
/// to a new version.
struct UpdateStudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-study",
        abstract: "Check for study updates now.",
        discussion: """
            studyd must be running; it applies what is found, and fails where this board cannot run a new version.
            Example: studyd update-study
            Example: studyd update-study --consent consent.json
            """)

    @OptionGroup var common: CommonOptions

    @Option(name: .long, help: "Record this consent in place of the enrolment's, as --consent of enroll.")
    var consent: String?

    func run() async throws {
        let given = try consent.map { EnrolmentRequest.Consent(text: try BoundedFile.text($0), file: $0) }
        let request = given.map { ControlRequest.recordConsent(consent: $0) } ?? .updateStudy
        guard let text = try RunningAgent.ask(common, request) else {
            throw AgentRefusal(
                text: given == nil
                    ? "studyd is not running; it will check when it starts"
                    : "studyd is not running: no consent was recorded; start it, and try again")
        }
        Output.line(text)
    }
}
