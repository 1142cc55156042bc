// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study

/// `studyd messages`: what those who run the study have said, and what was written to them.
struct MessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract:
            "List messages from and to the study team, oldest first, with the time received or sent.",
        discussion: "Example: studyd messages")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    func run() async throws {
        let store = try StoreAccess(common, isReading: true)
        try await store.remarkUnreadableAnswers()
        let record = try await store.enrolment()
        let facts = try await store.database.serverFacts(ServerFact.message, of: record.id)
        var lines = facts.map { (moment: $0.noted, text: json ? $0.text : text($0)) }
        lines += try await letters(record, store)
        if lines.isEmpty, !json { Output.remark("no messages") }
        for line in lines.sorted(by: { $0.moment < $1.moment }) {
            let moment = ZonedText(line.moment, in: store.stamps.zone)
            Output.line(json ? line.text : "\(moment)  \(line.text.shown(indent: 4))")
        }
    }

    /// What the participant has written or said to the study team.
    private func letters(
        _ record: EnrolmentRecord, _ store: StoreAccess
    ) async throws -> [(moment: Instant, text: String)] {
        var letters: [(moment: Instant, text: String)] = []
        for task in try await store.database.loadedStudy(record)?.study.tasks ?? [] where task.purpose == .message {
            for step in task.content.steps {
                for entry in try await store.database.history(of: step.key, task: task.key, in: record.id) {
                    let text: String
                    switch entry.value {
                    case .text(let written): text = written
                    case .recording(let id): text = "voice memo " + id
                    default: continue
                    }
                    letters.append(
                        (entry.submitted, json ? Self.line(text, entry.submitted) : "to the study team: " + text))
                }
            }
        }
        return letters
    }

    private static func line(_ text: String, _ moment: Instant) -> String {
        JSONText.object([
            "to": .string("study team"), "message": .string(text), "date": .string(moment.rfc3339Zulu()),
        ]).text
    }

    private func text(_ fact: ServerFactView) -> String {
        guard let node = try? JSONNode(Array(fact.text.utf8)) else { return fact.text }
        let words = ["title", "message"].compactMap { member($0, of: node) }.joined(separator: ": ")
        return words + (member("date", of: node).map { " (written \($0))" } ?? "")
    }

    private func member(_ key: String, of node: JSONNode) -> String? {
        if case .string(let text)? = node[key]?.content, !text.isEmpty { text } else { nil }
    }
}
