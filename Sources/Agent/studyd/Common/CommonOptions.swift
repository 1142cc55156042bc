// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Glibc
import Platforms
import Study
import SystemKit

/// Options of the commands that read the configuration or the state folder.
struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: "Configuration file.", completion: .file(extensions: ["toml"]))
    var config = AgentConfiguration.defaultPath

    @Option(
        name: .long,
        help: "State folder with the event log, recordings and cache (default: the one in the configuration).")
    var state: String?

    /// The configuration, with the state folder of the command line.
    func configuration() throws -> AgentConfiguration {
        guard isConfigured else { throw missing }
        var configuration = try AgentConfiguration(parsing: try BoundedFile.text(config), file: config)
        if let state { configuration.state = state }
        configuration.board = path(configuration.board)
        return configuration
    }

    /// The board that the configuration names. Where its file is not there, the complaint names
    /// the line that does.
    func board(of configuration: AgentConfiguration) throws -> BoardDescription {
        let path = configuration.board
        guard access(path, F_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw try ConfigSource.parse(BoundedFile.text(config), file: config).error(
                "board", "\(path): \(reason)",
                remedy: "correct the path, which is relative to the configuration file")
        }
        return try BoardDescription(parsing: BoundedFile.text(path), file: path)
    }

    /// For what only reads the state folder: where one is named, no configuration need be there.
    func readingConfiguration() throws -> AgentConfiguration {
        guard let state else { return try configuration() }
        try checkState(state)
        return isConfigured ? try configuration() : AgentConfiguration(board: "", state: state)
    }

    /// False where there is no file at that path.
    private var isConfigured: Bool { access(config, F_OK) == 0 }

    /// What to do where there is none.
    private var missing: FileFault {
        FileFault(
            path: config, message: "not found", remedy: "use --config, or write one with 'studyd init'")
    }

    /// Whoever only looks makes no folder, and the folder of a demo has the device's state inside.
    private func checkState(_ state: String) throws {
        let inside = state + "/device"
        guard access(state, F_OK) == 0 else {
            throw FileFault(path: state, message: "not found", remedy: "check --state")
        }
        guard access(state + "/studyd.sqlite", F_OK) != 0, access(inside + "/studyd.sqlite", F_OK) == 0 else { return }
        throw FileFault(path: state, message: "is not a state folder", remedy: "use --state \(inside)")
    }

    /// A path of the configuration file: relative ones are relative to its folder.
    private func path(_ text: String) -> String {
        guard !text.hasPrefix("/"), let slash = config.lastIndex(of: "/") else { return text }
        return config[...slash] + text
    }
}

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

    func load() throws -> LoadedStudy {
        try LoadedStudy.load(Resource.named(source), platform: try platform(), arguments: try platforms.arguments())
    }
}

extension SourceOptions {
    /// Says to standard error what of a study runs otherwise than it was most likely meant.
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
        if let arm, let refusals = study.arms?.refusals[arm] {
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
    @Option(name: .long, help: "Board file (default: the simulated board).", completion: .file(extensions: ["toml"]))
    var board: String?
    @Option(name: .long, help: "Language of a study that does not name one: en, de or es (default: en).")
    var language: String?

    func description() throws -> BoardDescription {
        let path = try board.map(Resource.named) ?? Resource.path("boards/simulated.toml")
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

/// Files that come with the program: in the source tree, or installed beside it.
enum Resource {
    /// A path as somebody wrote it. One that begins with `boards/` or `studies/` and is not
    /// there is that of the program's own file, so that the commands of the documentation work
    /// from any folder.
    static func named(_ path: String) -> String {
        guard access(path, F_OK) != 0, path.hasPrefix("boards/") || path.hasPrefix("studies/") else { return path }
        return (try? Self.path(path)) ?? path
    }

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
            let option = name.hasPrefix("boards/") ? "use --board FILE" : "name a study on the command line"
            throw FileFault(
                path: name, message: "not found here or beside the program",
                remedy: "\(option), or run studyd from the source folder")
        }
        return found
    }
}

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
