// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study
import SystemKit

/// `studyd history`: the study's graphs of the participant's own answers.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the participant's own answers in the study's graphs.",
        discussion: """
            Looking at them here tells the study nothing. Only with --seen-by-participant, for when the participant looks at them with you, is
            that reported where the platform wants it, as its app reports its page of graphs.
            Example: studyd history --svg -o history.svg
            """)

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Print SVG instead of text.")
    var svg = false
    @Flag(name: .long, help: "Print one JSON object.")
    var json = false
    @Flag(
        name: .long, help: "Print every row of the event log instead, one JSON object per line; answers are among them."
    )
    var events = false
    @Flag(name: .long, help: "With --events: include what rules drew, their prompts and the seeds.")
    var unblind = false
    @Flag(name: .long, help: "List the result files of all submitted runs instead, one path per line.")
    var results = false
    @Flag(name: .long, help: "Report to the study that the participant looked at the graphs.")
    var seenByParticipant = false
    @Option(name: .shortAndLong, help: "The file to write; - for standard output.", completion: .file())
    var output = "-"

    func validate() throws {
        guard [svg, json, results, events].count(where: \.self) < 2 else {
            throw ValidationError(
                svg && results ? "use --svg or --results, not both" : "use one of --svg, --json, --results and --events"
            )
        }
        guard !seenByParticipant || !(events || results) else {
            throw ValidationError("--seen-by-participant is for the graphs, not for --events or --results")
        }
    }

    func run() async throws {
        let store = try StoreAccess(common, isReading: !seenByParticipant)
        if !results { try await store.remarkUnreadableAnswers() }
        if events { return try await writeEvents(store) }
        let record = try await enrolment(store)
        if results {
            let paths = ResultFolder(store.folder.results).results(of: record.id)
            return try write(paths.map { $0 + "\n" }.joined())
        }
        let study = try await store.database.requiredStudy(record).study
        let feedback = ParticipantFeedback(study: study, record: record, store: store)
        try await write(svg ? feedback.svg() : json ? feedback.json().text + "\n" : feedback.text())
        if seenByParticipant { try await report(store) }
    }

    private func writeEvents(_ store: StoreAccess) async throws {
        // What rules drew is left out unless --unblind, so that the study team stays blinded.
        let blind = try await store.database.enrolments().contains { $0.record.rules != nil } && !unblind
        var (text, next, count): (String, Int64, Int64) = ("", 1, 0)
        while case let rows = try await store.database.events(from: next), let last = rows.last {
            for row in rows {
                let event = blind ? row.event.blinded : row.event
                guard let event else { continue }
                // Numbered without gaps, which would show where rows were left out.
                count += 1
                text += """
                    {"sequence":\(blind ? count : row.sequence),"enrolment":\(JSONText.quoted(row.stamp.enrolment)),\
                    "wall":\(row.stamp.wall.nanoseconds),"monotonic":\(row.stamp.monotonic.nanoseconds),\
                    "boot":\(JSONText.quoted(row.stamp.bootID)),"event":\(try event.line)}

                    """
            }
            next = last.sequence + 1
        }
        try write(text)
    }

    private func write(_ text: String) throws {
        guard output != "-" else { return Output.text(svg ? text : text.shownLines) }
        try AtomicFile.write(Array(text.utf8), toNamed: output)
        Output.remark("studyd: wrote \(output)")
    }

    /// The enrolment in force; after a withdrawal the last one, with --results or where its study computes
    /// charts that may be shown after leaving.
    private func enrolment(_ store: StoreAccess) async throws -> EnrolmentRecord {
        guard let state = try await store.database.latestEnrolment(), state.withdrawn != nil else {
            return try await store.enrolment()
        }
        if results { return state.record }
        let study = try await store.database.loadedStudy(state.record)?.study
        return study?.feedback?.drawings == nil ? try await store.enrolment() : state.record
    }

    /// Reports that the participant looked at the graphs, which is a page of the platform's app.
    private func report(_ store: StoreAccess) async throws {
        guard try await store.database.latestEnrolment()?.withdrawn == nil else { return }
        if try RunningAgent.ask(common, .graphs) != nil { return }
        defer { store.restoreOwner() }
        try await store.enroller().logGraphsSeen()
    }
}
