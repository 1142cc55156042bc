// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Platforms
import Study
import SystemKit

/// A study and how it is read.
struct SourceOptions: ParsableArguments {
    @Argument(help: "The study: a file, a folder or an http(s) address.", completion: .file())
    var source: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Platform of the study: \(PlatformOptions.names(", ")) (default: detected).", valueName: "platform"),
        completion: .list(PlatformCatalog.standard.names))
    var format: String?

    @OptionGroup var platforms: PlatformOptions

    /// The platform that was asked for; nil = whatever the source looks like.
    func platform() throws -> PlatformName? {
        try format.map { name in
            guard PlatformCatalog.standard.names.contains(name) else {
                throw ValidationError("--format \(name): unknown platform; use \(PlatformOptions.names(", "))")
            }
            return PlatformName(rawValue: name)
        }
    }

    func load() throws -> LoadedStudy { try UnreadableStudy.naming(source) { try read() } }

    /// Throws `StudyFormatError` with every problem that was found.
    func read() throws -> LoadedStudy {
        try LoadedStudy.load(Resource.named(source), platform: try platform(), arguments: try platforms.arguments())
    }
}

extension SourceOptions {
    /// Warns on standard error of what in a study runs differently from what was most likely meant.
    static func warn(of study: StudyProtocol) {
        for line in RemarkList(study.remarks.filter { $0.kind == .warning }).lines { Output.remark("studyd: \(line)") }
    }
}

/// For whom and when a plan is made.
struct PlanOptions: ParsableArguments {
    @Option(name: .long, help: "Local time of enrolment, e.g. 2026-03-01T09:00 (default: now).")
    var enrolled: String?

    @Option(name: .long, help: "The participant's time zone, e.g. Europe/Berlin (default: the system's).")
    var zone: String?

    @Option(name: .long, help: "Random seed.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "Study arm (default: random).")
    var condition: String?

    @Option(name: .long, help: "Show only this many days from the day of enrolment.")
    var days: Int?

    func validate() throws {
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days must be from 1 to 36500") }
    }

    /// The context in which the study is planned; it begins at `first` where no time is given.
    func context(
        for loaded: LoadedStudy, _ arguments: PlatformArguments, from first: Instant? = nil
    ) throws -> ScheduleContext {
        let study = loaded.study
        let zone = try SystemZone.load(zone)
        let seed = try EnrolmentSeed.numbered(seed)
        let chance = Chance(enrolmentSeed: seed)
        let start =
            try enrolled.map { zone.resolve(try LocalDateTime(parsing: $0)).instant } ?? first ?? SystemClock().now
        if let condition, !study.conditions.contains(condition) {
            let arms = study.conditions.map(\.shown).joined(separator: ", ")
            throw ValidationError("--condition \(condition): the study has \(arms)")
        }
        let arm = condition ?? ChanceDraw.condition(of: study, chance: chance)?.result
        if let arm, let refusals = study.arms?.refusals[arm] {
            throw EnrolmentError.armRefused(arm, refusals.map { "\($0.place): \($0.message)".shown })
        }
        var generator: any RandomNumberGenerator = chance.generator(for: "participant")
        let enrolment = try Enrolment(
            in: study, participant: loaded.platform.pseudonym(before: nil, using: &generator), seed: seed, at: start,
            zone: zone,
            condition: arm)
        return ScheduleContext(
            enrolment: enrolment, zone: zone, chance: chance,
            facts: StudyFacts(
                condition: arm,
                variables: try PlatformOptions.refusing { try loaded.platform.variables(arguments, planning: study) }))
    }
}

/// The board a study is checked against or played on.
struct BoardOptions: ParsableArguments {
    @Option(
        name: .long, help: "Board file, or the name of one that comes with studyd (default: simulated).",
        completion: .file(extensions: ["toml"]))
    var board: String?
    @Option(name: .long, help: "Language of a study that does not name one: en, de or es (default: en).")
    var language: String?

    func description() throws -> BoardDescription {
        let path = try board.map { try Resource.board($0) } ?? Resource.path("boards/simulated.toml")
        return try BoardDescription(parsing: try BoundedFile.text(path), file: path)
    }

    func panel() throws -> Panel {
        var panel = try Panel(description())
        if let language {
            guard !Language.primary(language).isEmpty else {
                throw ValidationError("--language \(language): unknown language; use e.g. de or es")
            }
            panel.language = language
        }
        return panel
    }
}
