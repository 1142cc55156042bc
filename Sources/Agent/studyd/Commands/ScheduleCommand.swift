// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands

/// `studyd schedule`: the times of the day at which the participant is asked, where the study
/// lets them be moved.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Show or move the times at which the participant is asked, where the study allows it.",
        discussion: """
            Prompts already planned, and those within a day, stay as they are; the new time applies from the day shown.
            Example: studyd schedule
            Example: studyd schedule --set 1=10:00-19:00 --set 2=20:30
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "New time or time span, by its number in the list. Repeatable.")
    var set: [String] = []
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false

    func validate() throws {
        guard set.isEmpty || !json else { throw ValidationError("use --set or --json, not both") }
    }

    func run() async throws {
        guard set.isEmpty else {
            return try await StoreAccess.perform(.moveTimes(wishes: set), common) { store in
                try await PromptTimeEditor(database: store.database, stamps: store.stamps).apply(set).text
            }
        }
        let store = try StoreAccess(common, isReading: true)
        let lines = try await PromptTimeEditor(database: store.database, stamps: store.stamps).lines()
        if lines.isEmpty { Output.remark("the study does not allow its times to be changed") }
        let width = lines.map(\.task.shown.count).max() ?? 0
        for (index, line) in lines.enumerated() {
            let time = line.time
            guard !json else {
                Output.line(
                    JSONText.object([
                        .init("number", .integer(Int64(index + 1))), .init("task", .string(time.task)),
                        .init("name", .string(line.task)), .init("time", .string(time.text)),
                        .init("rhythm", .string(time.rhythm)), .init("moved", .boolean(time.isMoved)),
                    ]).text)
                continue
            }
            let task = line.task.shown
            let name = task + String(repeating: " ", count: width - task.count)
            Output.line("\(index + 1)  \(name)  \(time.text)  \(time.rhythm)" + (time.isMoved ? "  (moved)" : ""))
        }
    }
}
