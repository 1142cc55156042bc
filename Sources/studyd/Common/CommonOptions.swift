import Agent
// SPDX-License-Identifier: Apache-2.0
import AgentCore
import ArgumentParser
import Glibc
import PlatformKit
import Platforms
import StudyEngine
import StudyModel
import Times

/// Options that every command takes.
struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file.")
    var config = AgentConfiguration.defaultPath

    @Option(name: .long, help: "The folder of store, recordings and cache, instead of the configuration's.")
    var state: String?

    /// The configuration, with the state folder of the command line.
    func configuration() throws -> AgentConfiguration {
        var configuration = try AgentConfiguration(parsing: try BoundedFile.text(config), file: config)
        if let state { configuration.state = state }
        configuration.board = path(configuration.board)
        return configuration
    }

    /// A path of the configuration file: relative ones are relative to its folder.
    func path(_ text: String) -> String {
        guard !text.hasPrefix("/"), let slash = config.lastIndex(of: "/") else { return text }
        return config[...slash] + text
    }
}

/// A study and how it is read.
struct SourceOptions: ParsableArguments {
    @Argument(help: "A study: a file, a folder or an http(s) address.")
    var source: String

    @Option(
        name: .long,
        help: ArgumentHelp("The study's platform, instead of what it looks like: \(PlatformOptions.names(" or "))."))
    var format: String?

    @OptionGroup var platforms: PlatformOptions

    /// The platform that was asked for; nil = whatever the source looks like.
    func platform() throws -> PlatformName? {
        try format.map { name in
            guard PlatformCatalog.standard.names.contains(name) else {
                throw ValidationError("--format \(name): known are \(PlatformOptions.names(", "))")
            }
            return PlatformName(rawValue: name)
        }
    }

    func load() throws -> LoadedStudy {
        try LoadedStudy.load(source, platform: try platform(), arguments: try platforms.arguments())
    }
}

extension SourceOptions {
    /// Says to standard error what of a study runs otherwise than it was most likely meant.
    static func warn(of study: StudyProtocol) {
        for remark in study.remarks where remark.kind == .warning {
            Output.note("studyd: WARNING \(remark.place): \(remark.message)")
        }
    }
}

/// For whom and when a plan is made.
struct PlanOptions: ParsableArguments {
    @Option(name: .long, help: "Local time of enrolment, 2026-03-01T09:00; default: now.")
    var enrolled: String?

    @Option(name: .long, help: "Zone of the participant's clock; default: the system's.")
    var zone: String?

    @Option(name: .long, help: "Number from which the draws follow.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "The arm, instead of a draw.")
    var condition: String?

    @Option(name: .long, help: "Only so many days from the day of enrolment.")
    var days: Int?

    func validate() throws {
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days is 1 to 36500") }
    }

    /// The context in which the study is planned.
    func context(for loaded: LoadedStudy, _ arguments: PlatformArguments) throws -> ScheduleContext {
        let study = loaded.study
        let zone = try SystemZone.load(zone)
        let seed = try EnrolmentSeed.numbered(seed)
        let chance = Chance(enrolmentSeed: seed)
        let start = try enrolled.map { zone.resolve(try LocalDateTime(parsing: $0)).instant } ?? SystemClock().now
        if let condition, !study.conditions.contains(condition) {
            throw ValidationError("--condition \(condition): the study has \(study.conditions.joined(separator: ", "))")
        }
        let arm = condition ?? ChanceDraw.condition(of: study, chance: chance)?.result
        if let arm, let refusals = study.armRefusals[arm] {
            throw EnrolmentError.armRefused(arm, refusals.map { "\($0.place): \($0.message)" })
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
    @Option(name: .long, help: "The board file; default: the simulated board.")
    var board: String?
    @Option(name: .long, help: "The language of a study that names none: en, de or es; default: en.")
    var language: String?

    func description() throws -> BoardDescription {
        let path = try board ?? Resource.path("boards/simulated.toml")
        return try BoardDescription(parsing: try BoundedFile.text(path), file: path)
    }

    func panel() throws -> Panel {
        var panel = try Panel(description())
        if let language {
            guard !Language.primary(language).isEmpty else {
                throw ValidationError("--language \(language): write a language such as de or es")
            }
            panel.language = language
        }
        return panel
    }
}

/// Files that come with the program: in the source tree, or installed beside it.
enum Resource {
    static func path(_ name: String) throws -> String {
        let executable = (try? ExecutablePath.current()) ?? ""
        var folders = ["."]
        var folder = executable
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = String(folder[..<slash])
            folders += [folder, folder + "/share/studyd"]
        }
        let places: [String] = folders.map { $0 + "/" + name }
        guard let found = places.first(where: { (place: String) in access(place, R_OK) == 0 }) else {
            throw FileFault(
                path: name, message: "is not installed",
                remedy: "name one on the command line, or run from the source tree")
        }
        return found
    }
}

/// Where this program lies.
enum ExecutablePath {
    static func current() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let start = bytes.baseAddress else { return -1 }
            return readlink("/proc/self/exe", start, bytes.count)
        }
        guard count > 0 else { throw FileFault(path: "/proc/self/exe", message: String(cString: strerror(errno))) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
