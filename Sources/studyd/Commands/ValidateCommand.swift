// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import StudyEngine
import StudyFormats
import StudyModel

/// `studyd validate`: what this board makes of a study.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Says how this board asks each question of a study, or why it cannot.",
        discussion: "Example: studyd validate study.json --board boards/simulated.toml")

    @OptionGroup var source: SourceOptions
    @OptionGroup var board: BoardOptions
    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "One JSON object per line.")
    var json = false

    func run() throws {
        let panel = try board.panel()
        let study: StudyProtocol
        do {
            study = try source.load().study
        } catch let error as StudyFormatError {
            for remark in error.remarks { report(remark) }
            Output.note("studyd: \(source.source) cannot be run: \(error.problems.count) problem(s), listed above")
            throw ExitCode(1)
        }
        let verdict = StudyVerdict(study, on: panel)
        for entry in verdict.entries { Output.line(json ? entry.json.text : entry.text) }
        for remark in verdict.remarks { report(remark) }
        guard verdict.refusals.isEmpty else {
            Output.note(
                "studyd: this board cannot run the study: \(verdict.refusals.count) question(s) refused, listed above")
            throw ExitCode(1)
        }
    }

    private func report(_ remark: Remark) {
        let line = remark.line.map { " (line \($0))" } ?? ""
        guard json else { return Output.line("\(remark.kind.rawValue): \(remark.path)\(line): \(remark.message)") }
        var members: [JSONText.Member] = [
            .init("remark", .string(remark.kind.rawValue)), .init("path", .string(remark.path)),
        ]
        if let line = remark.line { members.append(.init("line", .integer(Int64(line)))) }
        Output.line(JSONText.object(members + [.init("message", .string(remark.message))]).text)
    }
}
