// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Glibc
import StudyEngine
import StudyFormats
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

    @Option(name: .long, help: "The study's platform, instead of what it looks like: schema or mystudies.")
    var format: String?

    @Option(
        name: .long, help: "schema: the unit of timeout_after, minutes or milliseconds; default: minutes below 1000.")
    var timeouts: String?

    /// The unit of `timeout_after`; nil = by its size.
    func unit() throws -> StudyOptions.Timeouts? {
        try timeouts.map { name in
            guard let unit = StudyOptions.Timeouts(rawValue: name) else {
                throw ValidationError("--timeouts \(name): minutes or milliseconds")
            }
            return unit
        }
    }

    /// The platform that was asked for; nil = whatever the source looks like.
    func platform() throws -> StudyPlatform? {
        try format.map { name in
            guard let platform = StudyPlatform(rawValue: name) else {
                throw ValidationError(
                    "--format \(name): known are \(StudyPlatform.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return platform
        }
    }

    func load(policy: String = "ios", compare: String = "true") throws -> LoadedStudy {
        let platform = try platform()
        var options = StudyOptions()
        options.policy = StudyOptions.Policy(rawValue: policy) ?? .ios
        options.comparesLikeTheApp = compare == "app"
        options.timeouts = try unit()
        return try LoadedStudy.load(source, platform: platform, options: options)
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

    @Option(name: .long, help: "Where the platform's two apps differ: ios or android.")
    var policy = "ios"

    @Option(
        name: .long, help: "FDA MyStudies: how branching compares numbers: true, or app for the iOS app's way.")
    var compare = "true"

    @Option(name: .long, help: "Only so many days from the day of enrolment.")
    var days: Int?

    @Option(
        name: .long,
        help: "FDA MyStudies: a date that schedules count from, PROPERTY=2026-03-01 or ACTIVITY/QUESTION=2026-03-01.")
    var anchor: [String] = []

    func validate() throws {
        guard ["ios", "android"].contains(policy) else { throw ValidationError("--policy is ios or android") }
        guard ["true", "app"].contains(compare) else { throw ValidationError("--compare is true or app") }
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days is 1 to 36500") }
    }

    /// The context in which `study` is planned.
    func context(for study: StudyProtocol) throws -> ScheduleContext {
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
        var generator = chance.generator(for: "participant")
        let enrolment = try Enrolment(
            in: study, participant: SchemaUserID.draw(using: &generator), seed: seed, at: start, zone: zone,
            condition: arm)
        return ScheduleContext(
            enrolment: enrolment, zone: zone, chance: chance,
            facts: StudyFacts(condition: arm, variables: try anchors(of: study)))
    }

    private func anchors(of study: StudyProtocol) throws -> [String: AnswerValue] {
        let known = study.serverVariables.map(\.variable)
        return try anchor.reduce(into: [:]) { values, text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let date = try? LocalDateTime(parsing: parts[1] + "T00:00") else {
                throw ValidationError("--anchor \(text): write NAME=2026-03-01")
            }
            guard let variable = known.first(where: { $0.hasSuffix("/" + parts[0]) }) else {
                let names = known.map { $0.split(separator: "/").dropFirst(2).joined(separator: "/") }
                throw ValidationError(
                    "--anchor \(parts[0]): no schedule counts from it; this study has "
                        + (names.isEmpty ? "none" : names.joined(separator: ", ")))
            }
            values[variable] = .dateTime(date)
        }
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
                path: name, message: "is not installed; name one on the command line, or run from the source tree")
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
