// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Device
import Study
import SystemKit

/// `studyd-tools make-study`: the data of a whole study, made by scripted participants (`MadeStudy`).
struct MakeStudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-study", abstract: "Make the data of a whole study, as a lab and its devices hold them.",
        discussion: """
            Scripted participants live through their days in virtual time; core, drivers, recorders and delivery are the real ones, chips
            and server are on this computer. The same seed makes the same recordings and answers. truth.json says what was really done.
            Example: studyd-tools make-study studies/sleep-and-movement.json -o example
            Example: studyd-tools make-study study.json --participants 2 --days 2 -o short
            """)

    @Argument(help: "Study file or folder.", completion: .file())
    var study: String
    @Option(name: .long, help: "How many participants, 1 to 200.")
    var participants = 3
    @Option(name: .long, help: "How many days each, 1 to 366.")
    var days = 14
    @Option(name: [.customShort("o"), .customLong("output")], help: "New or empty folder: lab, devices, truth.json.")
    var output: String
    @Option(name: .long, help: "Random seed.")
    var seed: UInt64 = 1
    @Option(
        name: .long, help: "Board file, or the name of one that comes with studyd (default: simulated).",
        completion: .file(extensions: ["toml"]))
    var board: String?
    @Option(name: .long, help: "Samples per second of the accelerometer.")
    var rate = 50.0
    @Option(
        name: .long, help: "What else is measured: some of sound,position,buttons,magnetometer,gyroscope, or nothing.")
    var measures = "position,buttons"
    @Option(name: .long, help: "The participants' time zone.")
    var zone = "Europe/Berlin"
    @Option(name: .long, help: "First day.")
    var start = "2026-03-02"
    @Option(name: .long, help: "Participant script (default: somebody who answers most prompts).")
    var participant: String?
    @Option(name: .long, help: ArgumentHelp("A day on which the study is paused, 8 to 20 o'clock.", valueName: "date"))
    var pause: String?
    @Option(
        name: .long,
        help: ArgumentHelp("A task that is taken out of the study at noon of a day.", valueName: "task=date"))
    var remove: String?
    @Option(name: .long, help: "Rules beside the study.", completion: .file(extensions: ["toml"]))
    var rules: String?

    func validate() throws {
        guard (1...200).contains(participants) else { throw ValidationError("--participants must be from 1 to 200") }
        guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366") }
        guard (1...3_200).contains(rate) else { throw ValidationError("--rate must be from 1 to 3200") }
        _ = try kinds
        guard let first = try? LocalDate(parsing: start) else {
            throw ValidationError("--start \(start): expected a date; use e.g. 2026-03-02")
        }
        // A CWA file tells the years 2000 to 2063; a day at each end is for the zones.
        guard first.adding(days: -1).components.year >= 2000, first.adding(days: days + 1).components.year <= 2063
        else {
            throw ValidationError("--start \(start): the study must lie between 2000-01-02 and 2063-12-30")
        }
        for decision in try decisions {
            let (words, day) =
                switch decision {
                case .pause(let day): ("--pause \(day)", day)
                case .remove(let task, let day): ("--remove \(task)=\(day)", day)
                }
            guard day < first || day >= first.adding(days: days) else { continue }
            throw ValidationError("\(words): is no day of the study (\(first) to \(first.adding(days: days - 1)))")
        }
    }

    private var decisions: [MadeLife.Decision] {
        get throws {
            var decisions: [MadeLife.Decision] = []
            if let pause {
                guard let day = try? LocalDate(parsing: pause) else {
                    throw ValidationError("--pause \(pause): expected a date; use e.g. 2026-03-04")
                }
                decisions.append(.pause(day))
            }
            if let remove {
                let parts = remove.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, let day = try? LocalDate(parsing: parts[1]) else {
                    throw ValidationError("--remove \(remove): expected a task and a date; use e.g. evening=2026-03-05")
                }
                decisions.append(.remove(task: parts[0], day))
            }
            return decisions
        }
    }

    private var kinds: [MeasureKind] {
        get throws {
            try measures.split(separator: ",").filter { $0 != "nothing" }.map { name in
                guard let kind = MeasureKind(rawValue: String(name)), kind != .accelerometer else {
                    throw ValidationError("--measures \(name): use sound, position, buttons, gyroscope or magnetometer")
                }
                return kind
            }
        }
    }

    func run() async throws {
        var request = MadeStudy.Request(study: Resource.named(study))
        (request.participants, request.days, request.seed) = (participants, days, seed)
        (request.rate, request.measures, request.zone) = (rate, try kinds, zone)
        request.start = try LocalDate(parsing: start)
        request.decisions = try decisions
        request.participant = try participant.map { try Participant(json: BoundedFile.read(Resource.named($0))) }
        request.rules = try rules.map { try RulesFile(Resource.named($0)) }
        let board = try BoardDescription(
            at: self.board.map { try Resource.board($0) } ?? Resource.path("boards/simulated.toml"))
        guard try await MadeStudy(request, board: board, into: output).make() else { throw ExitCode(1) }
    }
}
