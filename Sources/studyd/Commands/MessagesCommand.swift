// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import PlatformKit
import Store
import StudyEngine
import StudyModel

/// `studyd messages`: what those who run the study have said.
struct MessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Prints the messages of the study team, oldest first, each with when this device took it.",
        discussion: "Example: studyd messages")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "One JSON object per line.")
    var json = false

    func run() async throws {
        let store = try StoreAccess(common)
        let record = try await store.enrolment()
        let facts = try await store.database.serverFacts(ServerFact.message, of: record.id)
        if facts.isEmpty, !json { Output.note("no messages") }
        for fact in facts {
            if json {
                Output.line(fact.text)
            } else {
                Output.line("\(ZonedText(fact.noted, in: store.stamps.zone))  \(text(fact))")
            }
        }
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

/// `studyd update-study`: looks for a new version, messages and dates at the study's servers.
struct UpdateStudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-study",
        abstract: "Asks the study's servers at once what is new, instead of at the next time.",
        discussion: "Needs the running agent, which follows what is found.\nExample: studyd update-study")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        guard let text = try RunningAgent.ask(common, .updateStudy) else {
            throw AgentRefusal(text: "no agent runs; it asks by itself as soon as it does")
        }
        Output.line(text)
    }
}
