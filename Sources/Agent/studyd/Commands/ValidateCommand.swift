// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study
import SystemKit

/// `studyd validate`: what this board makes of a study.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check a study: how this board asks each question, or why it cannot.",
        discussion: """
            With --rules the rules beside it are checked too: every mistake with its path, line and remedy.
            With --fetch the study's sounds are fetched and decoded as enrolment does, and nothing is kept.
            Example: studyd validate study.json --board boards/simulated.toml
            Example: studyd validate study.json --board boards/simulated-voice.toml --fetch
            """
                + PlatformOptions.help([.reading]))

    @OptionGroup var source: SourceOptions
    @OptionGroup var rules: RulesOptions
    @OptionGroup var board: BoardOptions
    @OptionGroup var unused: UnusedOptions
    @Flag(name: .long, help: "Print one JSON object per line.")
    var json = false
    @Flag(name: .long, help: "Fetch the study's sounds too, and say which enrolment would refuse.")
    var fetch = false

    func run() throws {
        let panel = try board.panel()
        let study: StudyProtocol
        do {
            study = try source.read().study
        } catch let error as StudyFormatError {
            for remark in error.remarks { report(remark) }
            Output.remark(
                "studyd: \(source.source) cannot be run: \(Plural.of(error.problems.count, "problem")), listed above")
            throw ExitCode(1)
        }
        try checkRules(for: study)
        // Everything that was found is printed first.
        let verdict = StudyVerdict(study, on: panel)
        for entry in verdict.entries { Output.line(json ? entry.json.text : entry.text) }
        if json {
            for remark in verdict.remarks { report(remark) }
        } else {
            for line in RemarkList(verdict.remarks).lines { Output.line(line) }
        }
        for arm in verdict.arms { for remark in verdict.armRefusals[arm] ?? [] { report(remark, arm: arm) } }
        if !json { Output.line(verdict.summary) }
        for refusal in verdict.buttonRefusals {
            let object = JSONText.object(["button": .string(refusal), "refused": .boolean(true)])
            Output.line(json ? object.text : "REFUSED: \(refusal)".shown)
        }
        let unplayable = fetch ? try reportSounds(of: study, on: panel) : 0
        // Then the conclusion; the exit status is 1 where the board cannot run the study.
        guard !verdict.isRefused else {
            Output.remark(
                "studyd: this board cannot run the study: \(Plural.of(verdict.refusals.count, "question")) refused, listed above"
            )
            throw ExitCode(1)
        }
        guard verdict.buttonRefusals.isEmpty else {
            Output.remark("studyd: a button of this board is bound to a task that it cannot start, listed above")
            throw ExitCode(1)
        }
        for arm in verdict.refusedArms {
            Output.remark(
                "studyd: WARNING: the arm \"\(arm.shown)\" cannot be run here, as listed above; a participant who draws it cannot be enrolled"
            )
        }
        guard unplayable == 0 else {
            Output.remark(
                "studyd: \(Plural.of(unplayable, "sound")) cannot be played, listed above: enrol refuses the study unless --without-sounds is given"
            )
            throw ExitCode(1)
        }
    }

    private func checkRules(for study: StudyProtocol) throws {
        guard let file = try rules.file() else { return }
        do {
            let read = try file.read(for: study, RuleSensors(on: try board.description()))
            guard !json else { return }
            for rule in read.rules { Output.line("rule \(rule.name): prompts for \(rule.task)".shown) }
        } catch let error as StudyRulesError {
            for problem in error.problems {
                Output.line(json ? problem.json.text : "refusal: \(file.path): \(problem.text)")
            }
            Output.remark(
                "studyd: \(file.path) cannot be used: \(Plural.of(error.problems.count, "problem")), listed above")
            throw ExitCode(1)
        }
    }

    /// How many sounds enrolment would refuse; fetches and decodes all.
    private func reportSounds(of study: StudyProtocol, on panel: Panel) throws -> Int {
        guard panel.hasLoudspeaker else {
            Output.remark("studyd: nothing is fetched: the board has no loudspeaker")
            return 0
        }
        let folder = try TemporaryFolder("validate")
        defer { folder.remove() }
        let cache = MediaCache(folder: folder.path)
        func report(_ sounds: [MediaReference], as kind: Remark.Kind) -> Int {
            sounds.count { sound in
                let problems = cache.fetch([sound])
                for problem in problems { self.report(Remark(kind, path: problem.path, problem.reason)) }
                return !problems.isEmpty
            }
        }
        _ = report(study.media.filter { $0.kind == .video }, as: .unsupported)
        return report(study.media.filter { $0.kind == .audio }, as: .refusal)
    }

    private func report(_ remark: Remark, arm: String? = nil) {
        let words = arm.map { "arm \"\($0)\": \(remark.message)" } ?? remark.message
        guard json else {
            // In capitals, not to be overlooked among the assumptions.
            let kind = remark.kind == .warning ? "WARNING" : remark.kind.rawValue
            return Output.line("\(kind): \(remark.place): \(words)".shown)
        }
        let object = JSONText.object([
            "remark": .string(remark.kind.rawValue), "path": .string(remark.path),
            "line": remark.line.map { .integer(Int64($0)) }, "message": .string(words),
        ])
        Output.line(object.text)
    }
}
