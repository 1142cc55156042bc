// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import PlatformKit
import StudyEngine
import StudyModel

/// `studyd validate`: what this board makes of a study.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Says how this board asks each question of a study, or why it cannot.",
        discussion: "Example: studyd validate study.json --board boards/simulated.toml"
            + PlatformOptions.help([.reading]))

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
        for arm in verdict.arms { for remark in verdict.armRefusals[arm] ?? [] { report(remark, arm: arm) } }
        guard !verdict.isRefused else {
            Output.note(
                "studyd: this board cannot run the study: \(verdict.refusals.count) question(s) refused, listed above")
            throw ExitCode(1)
        }
        for arm in verdict.refusedArms {
            Output.note(
                "studyd: WARNING: the arm \"\(arm)\" cannot be run here, as listed above; who draws it cannot be enrolled"
            )
        }
    }

    private func report(_ remark: Remark, arm: String? = nil) {
        let words = arm.map { "arm \"\($0)\": \(remark.message)" } ?? remark.message
        guard json else {
            // What most likely was not meant must not be overlooked among the assumptions.
            let kind = remark.kind == .warning ? "WARNING" : remark.kind.rawValue
            return Output.line("\(kind): \(remark.place): \(words)")
        }
        var members: [JSONText.Member] = [
            .init("remark", .string(remark.kind.rawValue)), .init("path", .string(remark.path)),
        ]
        if let line = remark.line { members.append(.init("line", .integer(Int64(line)))) }
        Output.line(JSONText.object(members + [.init("message", .string(words))]).text)
    }
}
