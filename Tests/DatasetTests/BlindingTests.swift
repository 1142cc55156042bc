// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import SystemKit
import Testing

@testable import Agent
@testable import Dataset
@testable import Lab
@testable import Study

/// Two runs that differ in one draw: what is shown to who must not know it is the same (ICH E6(R3) 4.1, safeguard blinding
/// in data governance).
struct BlindingTests {
    private static let start = Instant(seconds: 1_795_593_600)  // 2026-11-25T08:00:00Z
    private static let rules = """
        [rule.walk]
        task = "moment"
        every = "1h"
        available = ["40m since prompt"]
        probability = 0.5
        """

    private static func stamp(_ seconds: Int64) -> EventStamp {
        EventStamp(
            wall: start + .seconds(seconds), monotonic: MonotonicTime(nanoseconds: seconds * 1_000_000_000),
            bootID: "boot-1", zoneOffset: 3600, enrolment: "e1")
    }

    private static func decision(_ index: Int, _ result: DecisionRecord.Result, _ reasons: [String] = [])
        -> DecisionRecord
    {
        let due = start + .seconds(index * 3600)
        let isDrawn = reasons.isEmpty
        return DecisionRecord(
            rule: "walk", index: index, task: "moment", due: due, at: due, local: LocalDateTime(due, offset: 3600),
            result: result, available: isDrawn, reasons: reasons, state: [:], probability: isDrawn ? 0.5 : nil,
            label: isDrawn ? "rule walk/\(index)" : nil, draw: isDrawn ? (result == .treated ? 0.1 : 0.9) : nil,
            budget: nil, outcome: nil, rules: "d")
    }

    /// The first point is treated or not. Where it is, its prompt is answered or not, and the second point finds
    /// the participant unavailable.
    private static func events(isTreated: Bool, isAnswered: Bool = false) -> [(Int64, StudyEvent)] {
        let first = decision(1, isTreated ? .treated : .control)
        let raised = Occurrence(
            id: first.occurrence, task: "moment", taskIndex: 2, number: 1, local: first.local, due: first.due,
            expires: nil, resolution: .unique)
        let planned = Occurrence(
            id: "morning/1", task: "morning", taskIndex: 1, number: 101, local: first.local,
            due: start + .seconds(1800),
            expires: nil, resolution: .unique)
        let own: [(Int64, StudyEvent)] =
            isTreated
            ? [
                (3600, .raised(rule: "walk", index: 1, occurrence: first.occurrence, at: first.at)),
                (
                    3600,
                    .variableSet(
                        name: StudyHappening(.treated("walk", 1), task: "moment", at: first.at).variable,
                        value: .number(Double(first.at.milliseconds)))
                ),
                (3600, .prompted(occurrence: OccurrenceRecord(raised))), (3601, .presented(occurrence: raised.id)),
                (5400, .concluded(occurrence: OccurrenceRecord(raised), outcome: isAnswered ? .completed : .expired)),
            ] : []
        func run(_ task: String, _ occurrence: Occurrence?, _ memo: String, at seconds: Int64) -> [(Int64, StudyEvent)]
        {
            let submission = Submission(
                task: task, occurrence: occurrence ?? planned, order: ["words"], answers: ["words": .recording(memo)],
                drawn: [], submitted: start + .seconds(seconds))
            let answer = AnswerRecord(
                question: "words", value: .recording(memo), presented: nil, answered: .zero, presses: 1)
            return [
                (seconds, .runOpened(task: task, opening: 1, occurrence: occurrence?.id)),
                (seconds, .answered(task: task, opening: 1, answer: answer)),
                (seconds, .submitted(task: task, opening: 1, submission: SubmissionRecord(submission))),
            ]
        }
        let runs: [(Int64, StudyEvent)] =
            isAnswered
            ? run("self", nil, "own", at: 3000) + (isTreated ? run("moment", raised, "ruled", at: 5300) : []) : []
        let second = isTreated ? decision(2, .unavailable, ["recent-prompt"]) : decision(2, .control)
        let both: [(Int64, StudyEvent)] = [
            (1800, .prompted(occurrence: OccurrenceRecord(planned))), (1801, .presented(occurrence: planned.id)),
            (2400, .concluded(occurrence: OccurrenceRecord(planned), outcome: .expired)),
            (3600, .decided(decision: first)),
        ]
        return (both + own + runs).sorted { $0.0 < $1.0 } + [(7200, .decided(decision: second))]
    }

    private final class Device {
        let folder: String
        let database: StudyDatabase

        /// A treated point's prompt is answered, by voice and with a recording of its own, or it expires.
        init(isTreated: Bool, isAnswered: Bool = false) async throws {
            folder = "/tmp/studyd-blind-\(UInt64.random(in: 0 ... .max))"
            try File.makeFolder(folder)
            try File.makeFolder(folder + "/recordings")
            database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
            let enrolment = Enrolment(
                id: "e1", studyID: "STUDYD1", participant: ParticipantID("P1"), condition: nil,
                instant: BlindingTests.start, local: LocalDateTime(BlindingTests.start, offset: 3600),
                seed: [UInt8](repeating: 1, count: 32))
            var record = EnrolmentRecord(
                enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
                fileDigest: try Digest(of: []))
            record.rules = try await database.keepStudyFile(
                Array(BlindingTests.rules.utf8), source: "rules.toml", at: BlindingTests.start
            ).description
            try await database.append([.enrolled(enrolment: record)], at: BlindingTests.stamp(0))
            for (seconds, event) in BlindingTests.events(isTreated: isTreated, isAnswered: isAnswered) {
                try await database.append([event], at: BlindingTests.stamp(seconds))
            }
            if isAnswered { try await addRecordings(isTreated: isTreated) }
            try await database.append([.agentStopped(reason: "end")], at: BlindingTests.stamp(9000))
        }

        /// What is recorded all the time, a task that was begun by oneself with its spoken answer; and where there was a
        /// prompt of the rule, the same for it, and a file that was lost.
        private func addRecordings(isTreated: Bool) async throws {
            try await add(1, identifier: "field")
            try await add(2, identifier: "walk", task: "self")
            try await add(3, identifier: "voice:own")
            guard isTreated else { return }
            try await add(4, identifier: "walk", task: "moment")
            try await add(5, identifier: "voice:ruled")
        }

        private func add(_ number: Int, identifier: String, task: String? = nil) async throws {
            let (base, bytes) = (
                "\(number.padded(6))-magnetometer", Array("time,uptime,field_x\n,1.0,\(number)\n".utf8)
            )
            var note = RecordingDescription(fileName: base + ".csv", contentType: "text/csv", countedUnit: .samples)
            (note.number, note.kind, note.format, note.state) = (number, "magnetometer", "csv", .sealed)
            (note.identifier, note.study, note.participant) = (identifier, "STUDYD1", "P1")
            note.task = task.map { .init(task: $0, run: "run-\(number)", step: "s", recorders: ["r"]) }
            (note.startDate, note.endDate) = ("2026-11-25T09:00:00Z", "2026-11-25T09:01:00Z")
            (note.offset, note.zone, note.clock, note.bootID) = ("+01:00", "Europe/Berlin", .anchored, "boot-1")
            (note.bytes, note.sha256) = (bytes.count, try Digest(of: bytes).description)
            try AtomicFile.write(bytes, to: "\(folder)/recordings/\(base).csv")
            try AtomicFile.write(Array(note.json.indentedText.utf8), to: "\(folder)/recordings/\(base).json")
            let recording = RecordingRecord(
                id: "\(number)", itemClass: .motion, measure: "magnetometer", path: base + ".csv",
                descriptionPath: base + ".json", sha256: note.sha256, bytes: Int64(bytes.count),
                start: BlindingTests.start, end: BlindingTests.start, stored: 9, lost: [:], isExtra: number > 1)
            try await database.append([.recordingSealed(recording: recording)], at: BlindingTests.stamp(8000))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var status: StatusReader {
            StatusReader(
                database: database, view: nil, stamps: EventClock(clock: SystemClock(), bootID: "b", zone: .utc),
                folder: folder
            )
        }

        /// Every table that an export writes, and what else is in its folder.
        func exported(unblinds: Bool) throws -> [String: String] {
            let out = "\(folder)/out-\(unblinds)"
            let device = try DeviceFolder(folder, study: nil)
            let dataset: any StudyDataset = unblinds ? device : try BlindedDataset(device)
            _ = try DatasetExport(dataset, to: DatasetFolder(out), isPackage: true, unblinds: unblinds).run(bytes: 0)
            return try BlindingTests.files(in: out)
        }
    }

    private static func files(in folder: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name.contains(".") {
            let text = (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))).map {
                String(decoding: $0, as: UTF8.self)
            }
            files[name] = text
        }
        return files
    }

    @Test func whatADeviceShowsIsTheSameWhateverWasDrawn() async throws {
        let (treated, control) = (try await Device(isTreated: true), try await Device(isTreated: false))
        for json in [false, true] {
            let texts = [
                try await treated.status.text(json: json, uploads: true),
                try await control.status.text(json: json, uploads: true),
            ]
            .map { $0.replacing(treated.folder, with: "").replacing(control.folder, with: "") }
            // The disk's room, and the wall clock's time since the first sample.
            let others = ["free", "Free", "wallSeconds"]
            let lines = texts.map { text in
                text.split(separator: json ? "," : "\n").filter { line in !others.contains { line.contains($0) } }
            }
            #expect(lines[0] == lines[1])
            #expect(lines[0].joined().contains("decided"))
        }
        func told(_ device: Device) async throws -> String { try await device.status.ledger(isBlinded: true).json.text }
        #expect(try await told(treated) == told(control))
        let end = Self.start + .seconds(9000)
        func compliance(_ device: Device) async throws -> String? {
            try await device.database.compliance(of: "e1", at: end, offset: 3600)?.text
        }
        #expect(try await compliance(treated) == compliance(control))
        #expect(try await compliance(control) == "2026-11-25=1/0/0/1")
        func history(_ device: Device) async throws -> [String] {
            try await device.database.events(limit: -1).compactMap { row in
                try row.event.blinded.map { "\(row.stamp.wall.nanoseconds) \(try $0.line)" }
            }
        }
        let rows = try await history(treated)
        #expect(try await rows == history(control))
        #expect(!rows.joined().contains(String(repeating: "01", count: 32)), "the seed")
        // That these would show it.
        #expect(try await treated.status.ledger().json != control.status.ledger().json)
        let counts = try await treated.database.decisionCounts(of: "e1")
        #expect(counts.text.contains("treated 1") && counts.text.contains("unavailable(recent-prompt) 1"))
    }

    @Test func noRowThatIsShownNamesThePromptOfARule() throws {
        let events = Self.events(isTreated: true, isAnswered: true).map(\.1)
        let shown = try events.compactMap(\.blinded).map { try $0.line }
        #expect(shown.contains { $0.contains("submitted") } && !shown.joined().contains("/rule."))
    }

    /// A task that a rule raises leaves traces under its own name (ICH E6(R3) 4.1: blinding holds for all that is shown).
    @Test(arguments: [
        (StudyHappening(.submitted, task: "walk", at: start).variable, false),
        (StudyFacts.lastDoneVariable("walk"), false), ("steps", true), ("undone/walk", true),
    ]) func aVariableIsShownWhereItSaysNothingOfATask(_ name: String, _ isShown: Bool) {
        #expect((StudyEvent.variableSet(name: name, value: .number(1)).blinded != nil) == isShown)
    }

    @Test(arguments: [false, true]) func anExportIsTheSameWhateverWasDrawn(_ isAnswered: Bool) async throws {
        let treated = try await Device(isTreated: true, isAnswered: isAnswered)
        let control = try await Device(isTreated: false, isAnswered: isAnswered)
        let (one, other) = (try treated.exported(unblinds: false), try control.exported(unblinds: false))
        #expect(one.keys.sorted() == other.keys.sorted() && one["decisions.csv"]?.contains("walk") == true)
        for (name, text) in one where name != ".studyd-dataset" { #expect(text == other[name], "\(name)") }
        // That it would show it.
        let shown = try treated.exported(unblinds: true)
        #expect(shown["prompts.csv"]?.contains("/rule.walk.1") == true && shown["seeds.csv"] != nil)
        #expect(shown["decisions.csv"]?.contains("recent-prompt") == true && shown["trial/e1.jsonl"] != nil)
        #expect(shown.keys.contains { $0.hasPrefix("rules/") })
        guard isAnswered else { return }
        let kept = one.keys.filter { $0.hasPrefix("recordings/") && $0.hasSuffix(".csv") }.sorted()
        #expect(kept.map { $0.suffix(23) } == (1...3).map { "00000\($0)-magnetometer.csv".suffix(23) })
        #expect(one["answers-long.csv"]?.contains("own") == true)
        #expect(shown.keys.contains { $0.hasSuffix("000004-magnetometer.csv") })
        #expect(shown["answers-long.csv"]?.contains("ruled") == true)
    }

    /// A lab with a recording, a report and the log of a device whose rule decided once. What `fill` adds is there
    /// where it was treated.
    private static func lab(isTreated: Bool, fill: (LabFixture) async throws -> Void) async throws -> LabFixture {
        let (lab, database) = (try LabFixture(), try StudyDatabase(.memory))
        let enrolment = Enrolment(
            id: "e1", studyID: LabFixture.study, participant: ParticipantID("P1"), condition: nil, instant: start,
            local: LocalDateTime(start, offset: 3600), seed: [UInt8](repeating: 1, count: 32))
        var record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json", fileDigest: try Digest(of: []))
        record.rules = try await database.keepStudyFile(Array(rules.utf8), source: "rules.toml", at: start).description
        try await database.append([.enrolled(enrolment: record)], at: stamp(0))
        let decided = StudyEvent.decided(decision: decision(1, isTreated ? .treated : .control))
        try await database.append([decided], at: stamp(3600))
        let (draft, _) = try #require(
            try await database.logSegment(upTo: record, to: "recordings", zone: .utc, signedBy: nil))
        guard case .request(let request) = draft.content else { throw FileError(path: draft.origin, message: "a file") }
        try File.makeFolder(lab.directory + "/logs")
        try AtomicFile.write(request.body, to: "\(lab.directory)/logs/e1-\(draft.origin)")
        try await lab.post()
        try await lab.record()
        try await lab.report(LabFixture.prompt("morning/1", task: "morning"))
        if isTreated { try await fill(lab) }
        return lab
    }

    private static func exported(_ lab: LabFixture, unblinds: Bool = false) throws -> [String: String] {
        let out = lab.output("out-\(unblinds)")
        let whole = try LabFolder(lab.directory, study: nil)
        let dataset: any StudyDataset = unblinds ? whole : try BlindedDataset(whole)
        _ = try DatasetExport(dataset, to: DatasetFolder(out), isPackage: true, unblinds: unblinds).run(bytes: 0)
        return try files(in: out)
    }

    /// Issues name files of the lab by their paths, which are two folders' here.
    private static func plain(_ text: String, _ lab: LabFixture) -> [Substring] {
        text.replacing(lab.directory, with: "LAB").split(separator: "\n").filter {
            !$0.contains("\"hash\"") && !$0.contains("\"bytes\"")
        }
    }

    /// In a running study some file is always on its way: a description without its recording, a recording without
    /// its description, a part of one, and what only a manifest names.
    @Test func anExportOfALabDoesNotShowWhatIsOnItsWay() async throws {
        let labs = [
            try await Self.lab(isTreated: true) { lab in
                let name = "000002-magnetometer"
                var note = RecordingDescription(fileName: name + ".csv", contentType: "text/csv", countedUnit: .samples)
                (note.number, note.kind, note.format, note.state) = (2, "magnetometer", "csv", .sealed)
                note.task = .init(task: "moment", run: "run-2", step: "s", recorders: ["r"])
                try await lab.upload(name + ".json", Array(note.json.indentedText.utf8), recording: "2")
                try await lab.record(3, bytes: [3], isDescribed: false)
                try await lab.upload("000004-magnetometer.csv", [4, 4], recording: "4", part: 1)
                try await lab.manifest(LabFixture.entry("000005-magnetometer.csv"))
            }, try await Self.lab(isTreated: false) { _ in },
        ]
        let (one, other) = (try Self.exported(labs[0]), try Self.exported(labs[1]))
        #expect(one.keys.sorted() == other.keys.sorted())
        for (name, text) in one where name != ".studyd-dataset" {
            #expect(Self.plain(text, labs[0]) == Self.plain(other[name] ?? "", labs[1]), "\(name)")
        }
        #expect(one.keys.contains("recordings/P1/e1/000001-magnetometer.csv"))
        // That it would show it.
        let shown = try Self.exported(labs[0], unblinds: true)
        #expect(["000002", "000003", "000004", "000005"].allSatisfy { shown["missing.csv"]?.contains($0) == true })
    }

    /// As an app of the schema platform logs it, the page has the moment at which the prompt was due.
    @Test func anExportOfALabDoesNotShowWhatTheAppLogsOfAPrompt() async throws {
        let labs = [
            try await Self.lab(isTreated: true) {
                try await $0.log(page: "notification-2026-11-25T10:00:00.000+01:00", event: "click")
            }, try await Self.lab(isTreated: false) { _ in },
        ]
        let (one, other) = (try Self.exported(labs[0]), try Self.exported(labs[1]))
        #expect(one.keys.sorted() == other.keys.sorted() && one["decisions.csv"]?.contains("walk") == true)
        for (name, text) in one where name != ".studyd-dataset" {
            #expect(Self.plain(text, labs[0]) == Self.plain(other[name] ?? "", labs[1]), "\(name)")
        }
        // That it would show it.
        #expect(try Self.exported(labs[0], unblinds: true)["events.csv"]?.contains("notification-") == true)
    }

    /// An answer comes before the report of its prompt: its task tells until then.
    @Test(arguments: [false, true], [false, true])
    func postsAreShownThatABlindedExportHas(isReported: Bool, hasStudyFile: Bool) async throws {
        let due = "2026-11-25T10:00:00"
        let lab = try await Self.lab(isTreated: true) { lab in
            try await lab.post(due: due + "+01:00", answered: "2026-11-25T10:01:10+01:00")
            try await lab.post(module: 1, due: "2026-11-26T07:00:00+01:00", answered: "2026-11-26T07:20:00+01:00")
            try await lab.log()
            guard isReported else { return }
            try await lab.report(LabFixture.prompt("moment/rule.walk.1", due: due + ".000+01:00"))
        }
        let archive = try Archive(.file(lab.directory + "/receiver.sqlite"))
        let records = try await archive.records(user: "P1", limit: 100)
        let (studies, away) = (lab.directory + "/studies", lab.directory + "/away")
        if !hasStudyFile { try FileManager.default.moveItem(atPath: studies, toPath: away) }
        let blinding = LabBlinding(lab.directory)
        let shown = try await blinding.shown(records).map { "schema-\($0.id)" }
        let blinded = try BlindedDataset(try LabFolder(lab.directory, study: nil))
        let exported = try blinded.record(of: try #require(blinded.participants.first)).submissions.map(\.id)
        // A place in a study that is not here may be that of a rule's task.
        let count = hasStudyFile ? 2 : 1
        #expect(records.count == 4 && shown.count == count && Set(shown) == Set(exported), "\(shown) \(exported)")
        if !hasStudyFile { try FileManager.default.moveItem(atPath: away, toPath: studies) }
        #expect(try await blinding.shown(records).count == 2, "the file has come")
    }

    /// Of two enrolments with a prompt at the same moment the one that began later did not ask. The answer came at
    /// 10:01:10.123.
    @Test(arguments: [("10:01:10", 2), ("10:01:11", 1)])
    func postsOfWhoEnrolledTwiceAreShownThatABlindedExportHas(began: String, count: Int) async throws {
        let due = "2026-11-25T10:00:00"
        let lab = try await Self.lab(isTreated: true) { lab in
            try await lab.post(due: due + "+01:00", answered: "2026-11-25T10:01:10+01:00")
            let raised = LabFixture.prompt("moment/rule.walk.1", due: due + ".000+01:00", outcome: "expired")
            try await lab.report(raised)
            try await lab.report(LabFixture.prompt("moment/9", due: due + ".000+01:00"), enrolment: "e2")
        }
        let records = try await Archive(.file(lab.directory + "/receiver.sqlite")).records(user: "P1", limit: 100)
        let blinding = LabBlinding(lab.directory)
        #expect(try await blinding.shown(records).count == 2, "when it began is not known yet")
        let enrolled = "2026-11-25T\(began)+01:00"
        try await lab.upload("1.bin", [1], enrolment: "e2", enrolled: enrolled, recording: nil)
        for _ in 0..<2 {
            let shown = try await blinding.shown(records).map { "schema-\($0.id)" }
            let blinded = try BlindedDataset(try LabFolder(lab.directory, study: nil))
            let exported = try blinded.record(of: try #require(blinded.participants.first)).submissions.map(\.id)
            #expect(shown.count == count && Set(shown) == Set(exported), "\(shown) \(exported)")
        }
    }

    /// A lab that runs has read the study's file before. By a clock that is ahead, that file is long as it is.
    @Test(arguments: [0, 86_400] as [Int64]) func aStudyThatIsEditedHasItsTasksAtOtherPlaces(ahead: Int64) async throws
    {
        let lab = try await Self.lab(isTreated: true) { lab in
            try await lab.post(module: 1, due: "2026-11-26T07:00:00+01:00", answered: "2026-11-26T07:20:00+01:00")
        }
        defer { withExtendedLifetime(lab) {} }
        let records = try await Archive(.file(lab.directory + "/receiver.sqlite")).records(user: "P1", limit: 100)
        let clock = ShiftedClock(SystemClock().now + .seconds(ahead))
        let blinding = LabBlinding(lab.directory, clock: clock)
        for _ in 0..<2 { #expect(try await blinding.shown(records).count == 2) }
        let edited = lab.directory + "/edited/sleep-and-movement.json"
        let modules = ["check-in", "moment", "morning"].map { #"{"uuid":"\#($0)","sections":[]}"# }
        let text =
            #"{"properties":{"study_id":"\#(LabFixture.study)"},"modules":[\#(modules.joined(separator: ","))]}"#
        try File.makeFolder(lab.directory + "/edited")
        try AtomicFile.write(Array(text.utf8), to: edited)
        KeptStudies.keep([edited], in: lab.directory) { Issue.record("\($0)") }
        // Of place 1 it is unknown whether it is the rule's; the other answers a prompt that no rule raised.
        #expect(try await blinding.shown(records).count == 1)
    }

    /// Of a device, from the store and from what the running agent says.
    @Test func aSupportBundleIsTheSameWhateverWasDrawn() async throws {
        var bundles: [[String: String]] = []
        for isTreated in [true, false] {
            let device = try await Device(isTreated: isTreated)
            let bundle = SupportBundle(
                configuration: "state = \"\(device.folder)\"", folder: device.folder,
                names: try await device.database.privateTexts()
            ) { $0.joined(separator: " ") }
            let zip = try bundle.archive(
                status: try await device.status.text(json: true, uploads: false), check: "ok", at: Self.start, in: .utc)
            let path = device.folder + "/bundle.zip"
            try AtomicFile.write(zip, to: path)
            let reader = try #require(DatasetProgram.run(["python3", "-c", Self.opener, path]))
            var parts: [String: String] = [:]
            for line in reader.split(separator: "\n") {
                let pair = line.split(separator: "\t", maxSplits: 1).map(String.init)
                if pair.count == 2 { parts[pair[0]] = pair[1].replacing(device.folder, with: "") }
            }
            bundles.append(parts)
        }
        #expect(bundles[0].keys.sorted() == bundles[1].keys.sorted() && bundles[0]["status.json"] != nil)
        // The disk's room and the time since the first sample are of the moment.
        let others = ["free", "Free", "wallSeconds"]
        for name in bundles[0].keys where name != "kernel.txt" {
            let texts = bundles.map { parts in
                (parts[name] ?? "").split(separator: ",").filter { part in !others.contains { part.contains($0) } }
            }
            #expect(texts[0] == texts[1], "\(name)")
        }
        #expect(bundles[0]["status.json"]?.contains("ledger") == true)
    }

    private static let opener = """
        import sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        for name in archive.namelist(): print(name, repr(archive.read(name).decode()), sep="\\t")
        """

    /// The alarms that a webhook gets: of six planned prompts four were answered, below the limit.
    @Test func whatAWebhookIsSentIsTheSameWhateverWasDrawn() async throws {
        let planned = (1...6).map { LabFixture.prompt("morning/\($0)", outcome: $0 < 5 ? "completed" : "expired") }
        let raised = (1...3).map { LabFixture.prompt("moment/rule.walk.\($0)", outcome: "expired") }
        let more = (7...9).map { LabFixture.prompt("morning/\($0)", outcome: "expired") }
        var told: [[String]] = []
        for prompts in [planned + raised, planned, planned + more] {
            let archive = try FleetArchive(.memory)
            try await archive.take(Self.report(prompts), isKeyed: true, from: "t", at: LabFixture.now)
            let watch = try FleetWatch(
                .memory, archive: archive, keys: try DeviceKeys(.memory), limitsFile: "/tmp/no-limits.toml",
                expectedVersion: nil, makesNotices: true, since: LabFixture.now, report: { _ in })
            try await watch.look(at: LabFixture.now)
            var notices: [String] = []
            while let notice = try await watch.nextNotice(at: LabFixture.now) {
                notices.append("\(notice.title)|\(notice.body)|\(notice.priority)|\(notice.tags)")
                try await watch.note(.taken, to: notice, at: LabFixture.now)
            }
            told.append(notices)
        }
        #expect(told[0] == told[1] && told[1].joined().contains("compliance"), "\(told)")
        // That it would show it.
        #expect(told[2] != told[1])
    }

    private static func report(_ prompts: [String]) throws -> Lab.DeviceReport {
        let text = """
            {"format":"studyd-report","version":1,"number":1,"at":"2026-11-26T08:00:00.000+01:00","reason":"hour",
             "nextReportWithin":3900,"device":"P1","study":"S","participant":"P1","enrolment":"e1",
             "program":{"version":"0.9.0","commit":null},"clock":{"source":"kernel","trusted":true,"uncertainty":0.2},
             "ledger":null,"prompts":[\(prompts.joined(separator: ","))],"recordings":{"newest":null,"coverage":[]},
             "outbox":{"waiting":0,"bytes":0,"oldestSeconds":null},"disk":{"free":1,"total":2,"low":false},
             "card":{"written":null,"life":null},"power":{"underVoltage":false,"battery":null},"temperature":null,
             "faults":[],"configuration":null,"state":"recording"}
            """
        return try Lab.DeviceReport(try JSONReader.value(text))
    }

    /// Pages, tables, API and alarms are made of these three.
    @Test func aLabShowsTheSameWhateverWasDrawn() async throws {
        var shown: [String] = []
        for isTreated in [true, false] {
            let archive = try FleetArchive(.memory)
            let prompts =
                [LabFixture.prompt("morning/1")]
                + (isTreated ? [LabFixture.prompt("moment/rule.walk.1", outcome: "expired")] : [])
            try await archive.take(Self.report(prompts), isKeyed: true, from: "t", at: LabFixture.now)
            let device = try #require(await archive.all().first)
            let latest = try await archive.prompts(of: device.id, limit: 100)
            let between = try await archive.prompts(
                of: nil, from: .epoch, to: LabFixture.now + .seconds(86_400), limit: 100)
            shown.append("\(device.report.json.text) \(device.weeks(at: LabFixture.now)) \(latest) \(between)")
        }
        #expect(shown[0] == shown[1] && shown[0].contains("morning/1"))
    }
}
