// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import Foundation
import Patience
import Simulation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct ReportServiceTests {
    private static func time(_ second: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: second * 1_000_000_000) }

    private func reasons(_ bench: ReportBench) throws -> [String] {
        try bench.lab.reports().map { $0["reason"] as? String ?? "" }
    }

    // MARK: - In virtual time

    /// After each round two sleep: the alarm, and the least pause.
    private func play(_ bench: ReportBench, _ script: () async throws -> Void) async throws {
        let service = bench.service()
        let running = Task { try await service.run() }
        await bench.clock.whenSleeping(2)
        try await script()
        running.cancel()
        _ = await running.result
    }

    private func advance(_ bench: ReportBench, to seconds: Int64...) async {
        for second in seconds {
            bench.clock.advance(to: Self.time(second))
            await bench.clock.whenSleeping(2)
        }
    }

    @Test func anEnrolmentIsToldAndThenEachHour() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await play(bench) {
            bench.clock.advance(to: Self.time(4))
            await advance(bench, to: 5)
            bench.clock.advance(to: Self.time(3_604))
            await advance(bench, to: 3_605)
        }
        #expect(try reasons(bench) == ["enrolment", "hour"])
        #expect(bench.lab.now.bodies.allSatisfy { $0.device == "P017" })
    }

    @Test func tenChangesAreOneReportAMinuteLater() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await play(bench) {
            bench.clock.advance(to: Self.time(4))
            await advance(bench, to: 5)
            bench.clock.advance(to: Self.time(99))
            for second in 100..<110 as Range<Int64> {
                bench.requests.post(.changed)
                await advance(bench, to: second)
            }
            bench.clock.advance(to: Self.time(158))
            await advance(bench, to: 170)
        }
        #expect(try reasons(bench) == ["enrolment", "change"])
    }

    // MARK: - Contents

    private func round(_ bench: ReportBench, isChange: Bool = false) async throws -> ReportPlan.Event {
        try await bench.service().report(isChange: isChange)
    }

    @Test func withoutAnEnrolmentNothingIsReported() async throws {
        let bench = try ReportBench()
        #expect(try await round(bench) == .received(hasMore: false))
        #expect(bench.lab.now.bodies.isEmpty)
    }

    @Test func everyOutcomeIsToldOnceInTheirOrder() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<4)
        #expect(try await round(bench) == .received(hasMore: false))
        try await bench.miss(4..<6)
        #expect(try await round(bench) == .received(hasMore: false))
        let told = try bench.lab.reports().map {
            ($0["prompts"] as? [[String: Any]] ?? []).map { $0["occurrence"] as? String }
        }
        #expect(told == [["mood/1", "mood/2", "mood/3"], ["mood/4", "mood/5"]])
    }

    /// Twice the pace, and five minutes more than an hour's.
    @Test(arguments: [(120, 240), (3600, 3900)])
    func aReportSaysWhenTheNextOneComes(every: Int64, within: Int) async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        #expect(try await bench.service(every: .seconds(every)).report(isChange: false) == .received(hasMore: false))
        #expect(try bench.lab.reports().map { $0["nextReportWithin"] as? Int } == [within])
    }

    /// Ten seconds, if need be: what a participant who leaves was recording belongs to the last day.
    @Test(arguments: [1, 10, nil]) func theLastDayWaitsForItsRecordings(sealedAfter second: Int?) async throws {
        let bench = try ReportBench()
        let recordings = bench.folder.recordings
        let record = try await bench.enrol()
        var open = RecordingDescription(
            fileName: "000001-sound.flac", contentType: "audio/flac", countedUnit: .samples)
        (open.number, open.kind, open.study) = (1, "sound", record.studyID)
        open.participant = record.participant
        try File.makeFolder(recordings)
        try AtomicFile.write(open.text(), to: "\(recordings)/000001-sound.open")
        try await bench.leave()
        let service = bench.service(unlogged: UnloggedRecordings(in: recordings, bench.database))
        let running = Task { try await service.report(isChange: false) }
        for passed in 1...(second ?? 10) {
            try await eventually("it waits") { bench.clock.sleeping == 1 }
            #expect(try bench.lab.manifests().isEmpty)
            if passed == second {
                try await bench.append([.recordingSealed(recording: Fixture.recording("1", .sound))])
            }
            bench.clock.advance(to: Self.time(Int64(passed)))
        }
        #expect(try await running.value == .received(hasMore: false))
        #expect(try bench.lab.manifests().map { $0["day"] as? String } == (second == nil ? [] : ["2026-11-25"]))
    }

    /// A lab that was away for a week: what does not fit comes in the next ones, at once.
    @Test func whatIsTooMuchForOneReportComesInTheNext() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<1_101)
        bench.lab.refuse([.unavailable("away", retryAfter: .zero), .unavailable("away", retryAfter: .seconds(9))])
        #expect(try await round(bench) == .failed(retryAfter: .zero))
        #expect(try await round(bench) == .failed(retryAfter: .seconds(9)))
        var rounds = 0
        repeat { rounds += 1 } while try await round(bench) == .received(hasMore: true)
        #expect(bench.lab.now.outcomes.count == 1_100 && bench.lab.now.outcomes.values.allSatisfy { $0 == 1 })
        #expect(rounds >= 3 && bench.lab.now.reused.isEmpty)
        #expect(bench.lab.now.bodies.allSatisfy { $0.body.count <= 65_536 })
    }

    /// Of 10 s at 50 Hz.
    private func measured(_ bench: RecordingBench) throws -> MeasureState {
        let ring = FrameRing(capacity: 512, repeating: VectorFrame(values: .zero, count: 3))
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM6DSO", location: "i2c-1 0x6a",
            channels: Channel.acceleration(scale: 0.000_122), nominalRate: 50, fullScale: 4)
        let recorder = try MeasureConfiguration(identifier: "accelerometer", format: .cwa).recorder(
            of: .vectors(ring), source: source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder())
        for index in 0..<500 {
            ring.push(
                VectorFrame(
                    values: SIMD8(repeating: 1), count: 3, time: Self.time(1) + .milliseconds(20 * index),
                    isStamped: true))
        }
        _ = recorder.drain(at: Self.time(11), anchors: [])
        _ = recorder.stop(at: Self.time(11), anchors: [])
        return MeasureState(recorder, lastHour: SampleCounts())
    }

    /// Prompts come while the clock is off by 300 s at most; a device that measures nothing is idle.
    @Test(
        arguments: [
            (ClockAnchor.Source.kernel, 300, true, "recording"), (.kernel, 301, true, "paused"),
            (.vouched, 301, true, "recording"), (.unknown, 0, true, "paused"), (.kernel, 0, false, "idle"),
        ] as [(ClockAnchor.Source, Int64, Bool, String)])
    func aReportSaysWhatTheDeviceDoes(
        source: ClockAnchor.Source, error: Int64, isMeasured: Bool, state: String
    ) async throws {
        let (bench, recordings) = (try ReportBench(), RecordingBench())
        try await bench.enrol()
        if isMeasured {
            let measure = try measured(recordings)
            try #require(measure.counts.stored > 0)
            bench.view.change { $0.measures = [measure] }
        }
        let service = bench.service(trust: ClockTrust { (source, .seconds(error)) })
        for isOn in [true, false] {
            try await bench.append([.promptsSwitched(on: isOn)])
            _ = try await service.report(isChange: false)
        }
        try await bench.leave()
        _ = try await service.report(isChange: false)
        #expect(try bench.lab.reports().map { $0["state"] as? String } == [state, "paused", "ended"])
    }

    /// docs/report.schema.json: in seconds.
    @Test(arguments: [(60, 120), (300, 600), (3_600, 3_900), (86_400, 86_700)])
    func aReportSaysWhenTheNextComesAtTheLatest(every: Int, within: Int) async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        _ = try await bench.service(every: .seconds(every)).report(isChange: false)
        #expect(try bench.lab.reports().map { $0["nextReportWithin"] as? Int } == [within])
    }

    /// Where recordings go to the lab, each of their uploads carries the log's head.
    @Test(arguments: [nil, "https://lab.example/files/"] as [String?])
    func aReportCarriesTheHeadOfTheLogWhereNoUploadDoes(recordings: String?) async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        let routes = LabRoutes(recordings.map { [.recordings(to: $0)] } ?? [], lab: "https://lab.example/")
        let told = Mutex<[Bool]>([])
        let service = bench.service(routes: routes) { [lab = bench.lab] body, path, device, witness in
            if path == "/reports" { told.withLock { $0.append(witness != nil) } }
            return (lab.take(body, path, device), nil)
        }
        _ = try await service.report(isChange: false)
        #expect(told.withLock { $0 } == [recordings == nil])
    }

    /// What a clock that had jumped ahead brought, and took back, is no outcome.
    @Test func outcomesThatWereTakenBackAreNotTold() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<3)
        // Before anything was told it falls due again: the first outcome is as void as ever.
        try await bench.append([
            .occurrencesReturned(occurrences: ["mood/2"]), .prompted(occurrence: Fixture.record(2)),
        ])
        _ = try await round(bench)
        #expect(bench.lab.now.outcomes == ["e1/mood/1": 1])
    }

    private func told(_ bench: ReportBench) throws -> [(returned: [String], prompts: [String])] {
        try bench.lab.reports().map { report in
            let prompts = (report["prompts"] as? [[String: Any]] ?? []).compactMap { $0["occurrence"] as? String }
            return (returned: report["returned"] as? [String] ?? [], prompts: prompts)
        }
    }

    /// The lab has them: it deletes them, and takes what came of them when they fell due again.
    @Test func outcomesThatWereToldAndTakenBackAreRetracted() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<4)
        _ = try await round(bench)
        try await bench.append([.occurrencesReturned(occurrences: ["mood/2", "mood/3"])])
        try await bench.miss(2..<3)
        for _ in 0..<2 { #expect(try await round(bench) == .received(hasMore: false)) }
        let told = try told(bench)
        #expect(told.map(\.returned) == [[], ["mood/2", "mood/3"], []])
        #expect(told.map(\.prompts) == [["mood/1", "mood/2", "mood/3"], ["mood/2"], []])
    }

    /// Four rows of the log, of 256 occurrences at most; what came after them waits for its turn.
    @Test func whatIsTakenBackInManyRowsComesInSeveralReports() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        for number in 1...5 { try await bench.append([.occurrencesReturned(occurrences: ["mood/\(number)"])]) }
        try await bench.miss(6..<7)
        #expect(try await round(bench) == .received(hasMore: true))
        #expect(try await round(bench) == .received(hasMore: false))
        let told = try told(bench)
        #expect(told.map(\.returned) == [["mood/1", "mood/2", "mood/3", "mood/4"], ["mood/5"]])
        #expect(told.map(\.prompts) == [[], ["mood/6"]])
    }

    /// Else the end would be reported each hour for ever, and nothing after that row.
    @Test(
        arguments: [
            (.occurrencesReturned(occurrences: ["mood/1"]), #"{"erased":"00"}"#),
            (
                .concluded(occurrence: Fixture.record(1), outcome: .missed(.deviceOff)),
                #"{"occurrence":{"id":"mood/1"}}"#
            ),
        ] as [(StudyEvent, String)])
    func aRowThatCannotBeReadIsPassed(event: StudyEvent, body: String) async throws {
        let path = try UploadFixture.folder() + "/studyd.sqlite"
        let bench = try ReportBench(StudyDatabase(.file(path)))
        try await bench.enrol()
        try await bench.append([event])
        try Connection(.file(path)).execute(
            """
            DROP TRIGGER event_stays;
            UPDATE event SET body = '\(body)' WHERE kind IN ('occurrencesReturned', 'concluded')
            """)
        #expect(try await round(bench) == .received(hasMore: false))
        try await bench.leave()
        for _ in 0..<2 { #expect(try await round(bench) == .received(hasMore: false)) }
        #expect(try reasons(bench) == ["enrolment", "end"])
    }

    @Test func theEndIsTheLastAndComesWithWhatWasOpen() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.append([.prompted(occurrence: Fixture.record(1))])
        _ = try await round(bench)
        try await bench.leave()
        _ = try await round(bench, isChange: true)
        #expect(try await round(bench) == .received(hasMore: false))
        #expect(try reasons(bench) == ["enrolment", "end"])
        let last = try #require(try bench.lab.reports().last)
        #expect(last["state"] as? String == "ended" && bench.lab.now.outcomes == ["e1/mood/1": 1])
    }

    /// The participant left while the lab was away, and another study began, of which a prompt may be over already.
    @Test(arguments: [true, false]) func theEndOfOneEnrolmentComesBeforeTheNext(hasOutcome: Bool) async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        _ = try await round(bench)
        try await bench.miss(1..<3)
        try await bench.leave()
        bench.clock.advance(to: Self.time(60))
        try await bench.enrol("e2")
        if hasOutcome { try await bench.miss(1..<2, of: "e2") }
        #expect(try await round(bench) == .received(hasMore: true))
        #expect(try await round(bench) == .received(hasMore: false))
        let told = try bench.lab.reports().map { "\($0["enrolment"] ?? "") \($0["reason"] ?? "")" }
        #expect(told == ["e1 enrolment", "e1 end", "e2 enrolment"])
        #expect(bench.lab.now.outcomes.count == (hasOutcome ? 3 : 2))
    }

    /// Who has everything unsent deleted has outcomes deleted that the lab has not heard of.
    @Test func afterDeletingWhatIsUnsentOnlyTheEndIsTold() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        _ = try await round(bench)
        try await bench.miss(1..<5)
        try await bench.leave(deletesUnsent: true)
        #expect(try await round(bench) == .received(hasMore: false))
        #expect(try reasons(bench) == ["enrolment", "end"] && bench.lab.now.outcomes.isEmpty)
    }

    @Test(arguments: [true, false]) func theEndSaysWhetherTheLabIsAskedToDelete(isAsked: Bool) async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        _ = try await round(bench)
        try await bench.leave(deletesUnsent: true, deletesData: isAsked)
        #expect(try await round(bench) == .received(hasMore: false))
        #expect(try bench.lab.reports().map { $0["deletionAsked"] as? Bool } == [false, isAsked])
        #expect(try await bench.database.hasDeletedUnsent(of: "e1"))
    }

    @Test func aConsentThatIsMissingIsAFaultInTheReport() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        func faults() async throws -> [String] {
            _ = try await round(bench)
            let faults = try bench.lab.reports().last?["faults"] as? [[String: Any]]
            return (faults ?? []).compactMap { $0["place"] as? String }
        }
        #expect(try await !faults().contains("consent"))
        try await bench.append([.serverFact(name: ServerFact.consent, text: "2.0")])
        #expect(try await faults().first == "consent")
        try await bench.append([.consented(name: "consent", version: "2.0", choice: "{}")])
        #expect(try await !faults().contains("consent"))
    }

    // MARK: - A receiver that says no

    @Test(arguments: [LabAnswer.keyUnknown, .codeRefused, .revoked]) func aBarredDeviceKeepsEverythingAndSaysSo(
        answer: LabAnswer
    )
        async throws
    {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<4)
        bench.lab.refuse([answer])
        #expect(try await round(bench) == .barred)
        #expect(bench.view.now.reports.isBarred)
        #expect(bench.view.now.faults.contains { $0.place == "report" })
        // A network that is gone says nothing new about that.
        bench.lab.refuse([.unavailable("away", retryAfter: .zero)])
        _ = try await round(bench)
        #expect(bench.view.now.reports.isBarred)
        _ = try await round(bench)
        #expect(!bench.view.now.reports.isBarred && bench.view.now.faults.isEmpty)
        #expect(bench.lab.now.outcomes.count == 3)
    }

    /// Of another number, it is no receipt of this one.
    @Test func aReceiptOfAnotherNumberIsNone() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        let service = bench.service { _, _, _, _ in (.received("16"), nil) }
        #expect(try await service.report(isChange: false) == .failed(retryAfter: .zero))
        #expect(bench.memory.read().announced == nil)
    }

    // MARK: - Power cuts

    /// Where the power goes in a round: before its number is kept, before the lab hears of it, and
    /// before the device keeps that it did.
    private enum Cut: CaseIterable { case none, beforeNumber, beforeSending, beforeKeeping }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func noOutcomeIsLostWhereverThePowerGoes(seed: UInt64) async throws {
        var chance = SplitMix64(seed: seed)
        let bench = try ReportBench()
        try await bench.enrol()
        var prompts = 1
        for _ in 0..<40 {
            let more = Int.random(in: 0...3, using: &chance)
            try await bench.miss(prompts..<(prompts + more))
            prompts += more
            try await cutRound(bench, Cut.allCases.randomElement(using: &chance) ?? .none)
        }
        while try await round(bench) == .received(hasMore: true) {}
        let lab = bench.lab.now
        #expect(Set(lab.outcomes.keys) == Set((1..<prompts).map { "e1/mood/\($0)" }))
        #expect(lab.reused.isEmpty, "a number stood for two reports")
    }

    private func cutRound(_ bench: ReportBench, _ cut: Cut) async throws {
        let path = StateFolder.reportMemory(in: bench.folder.path)
        let kept = Mutex<[UInt8]?>(cut == .beforeNumber ? try? BoundedFile.read(path) : nil)
        let service = bench.service { [lab = bench.lab] body, place, device, _ in
            if cut == .beforeSending || cut == .beforeKeeping { kept.withLock { $0 = try? BoundedFile.read(path) } }
            return cut == .beforeSending || cut == .beforeNumber
                ? (.unavailable("cut", retryAfter: .zero), nil) : (lab.take(body, place, device), nil)
        }
        _ = try await service.report(isChange: false)
        guard cut != .none else { return }
        // What the process wrote after the power had gone was never written.
        guard let bytes = kept.withLock({ $0 }) else {
            unlink(path)
            return
        }
        try AtomicFile.write(bytes, to: path)
    }

    @Test func aMemoryThatIsDamagedTellsEverythingAgain() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<4)
        _ = try await round(bench)
        try AtomicFile.write(Array("{\"number\":".utf8), to: StateFolder.reportMemory(in: bench.folder.path))
        _ = try await round(bench)
        #expect(bench.lab.now.outcomes == ["e1/mood/1": 2, "e1/mood/2": 2, "e1/mood/3": 2])
    }

    /// The kernel lets no file take a folder's place, as little as a full disk takes one (rename(2), EISDIR).
    @Test func aDiskThatKeepsNothingKeepsNoReportFromTheLab() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<3)
        let place = StateFolder.reportMemory(in: bench.folder.path)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let service = bench.service()
        for _ in 1...2 { #expect(try await service.report(isChange: false) == .received(hasMore: false)) }
        #expect(try bench.lab.reports().map { $0["number"] as? Int } == [1, 2])
        #expect(bench.lab.now.outcomes == ["e1/mood/1": 2, "e1/mood/2": 2])
        try FileManager.default.removeItem(atPath: place)
        _ = try await service.report(isChange: false)
        _ = try await service.report(isChange: false)
        #expect(bench.lab.now.outcomes == ["e1/mood/1": 3, "e1/mood/2": 3] && bench.lab.now.reused.isEmpty)
    }

    /// The disk fills while the lab answers: what the lab signed about the log is lost, and nothing else.
    @Test func aReportIsReceivedThoughItsReceiptHasNoRoom() async throws {
        try await SmallDisk.with { disk in
            let folder = disk + "/state"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bench = try ReportBench(StudyDatabase(.file(folder + "/studyd.sqlite")), folder: folder)
            try await bench.enrol()
            try await bench.miss(1..<3)
            let receipt = String(repeating: "c", count: 300_000)
            func confirmed() async throws -> Int {
                try await bench.database.events(limit: -1).count {
                    if case .headConfirmed = $0.event { true } else { false }
                }
            }
            let isFull = Mutex(true)
            let service = bench.service { [lab = bench.lab] body, path, device, witness in
                #expect(witness != nil)
                if isFull.withLock({ $0 }) { SmallDisk.fill(disk) }
                return (lab.take(body, path, device), receipt)
            }
            #expect(try await service.report(isChange: false) == .received(hasMore: false))
            #expect(bench.lab.now.outcomes == ["e1/mood/1": 1, "e1/mood/2": 1])
            #expect(try await confirmed() == 0)
            isFull.withLock { $0 = false }
            try FileManager.default.removeItem(atPath: disk + "/ballast")
            try await bench.miss(3..<4)
            #expect(try await service.report(isChange: false) == .received(hasMore: false))
            #expect(try await confirmed() == 1 && bench.lab.now.reused.isEmpty)
            #expect(bench.lab.now.outcomes["e1/mood/3"] == 1)
            #expect(try await bench.database.verifyLog() == nil)
        }
    }

    /// The numbers of rows of another log mean something else.
    @Test func inAnotherLogItStartsOver() async throws {
        let first = try ReportBench()
        try await first.enrol()
        try await first.miss(1..<9)
        _ = try await round(first)
        let second = try ReportBench(folder: first.folder.path)
        second.clock.advance(to: Self.time(5))
        try await second.enrol("e2")
        try await second.miss(1..<2, of: "e2")
        _ = try await round(second)
        #expect(second.lab.now.outcomes == ["e2/mood/1": 1])
        #expect(try second.lab.reports().first?["number"] as? Int == 2)
    }

    // MARK: - Manifests

    private static func days(_ bench: ReportBench) throws -> [String] {
        try bench.lab.manifests().map { "\($0["enrolment"] ?? "") \($0["day"] ?? "")" }
    }

    @Test func eachDayThatIsOverHasItsManifestAndADayThatWasNotReceivedComesLater() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        _ = try await round(bench)
        #expect(try Self.days(bench) == [])
        // Until 2 minutes past midnight of the third day.
        bench.clock.advance(to: Self.time(5 * 3600 + 86_400 + 120))
        bench.lab.refuse([])
        let service = bench.service { [lab = bench.lab] body, path, device, _ in
            (path == "/manifests" ? .unavailable("full", retryAfter: .zero) : lab.take(body, path, device), nil)
        }
        _ = try await service.report(isChange: false)
        #expect(try Self.days(bench) == [])
        _ = try await round(bench)
        _ = try await round(bench)
        #expect(try Self.days(bench) == ["e1 2026-11-25", "e1 2026-11-26"])
        try await bench.leave()
        _ = try await round(bench)
        #expect(try Self.days(bench).last == "e1 2026-11-27")
    }

    @Test func everyReportAndManifestFitsTheSchema() async throws {
        guard ReportSchema.isThere else { return print("SKIPPED: Python's jsonschema is not installed") }
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.miss(1..<30)
        try await bench.append(
            [.recordingSealed(recording: Fixture.recording("1", .motion))], sending: [Fixture.draft("a")])
        _ = try await round(bench)
        bench.clock.advance(to: Self.time(86_400))
        try await bench.leave()
        while try await round(bench) == .received(hasMore: true) {}
        let bodies = bench.lab.now.bodies
        #expect(Set(bodies.map(\.path)) == ["/reports", "/manifests"])
        #expect(try ReportSchema.faults(of: bodies.map(\.body)) == bodies.map { _ in "" })
    }

    @Test func statusSaysWhenAndHowTheLastOneWasAnswered() async throws {
        let bench = try ReportBench()
        #expect(bench.view.now.reports.line == nil)
        try await bench.enrol()
        _ = try await round(bench)
        #expect(bench.view.now.reports.line == "2026-11-25T19:00:00+01:00: received")
        bench.clock.advance(to: Self.time(3600))
        bench.lab.refuse([.revoked])
        _ = try await round(bench)
        #expect(
            bench.view.now.reports.line
                == "2026-11-25T20:00:00+01:00: revoked (403); the last one received was at 2026-11-25T19:00:00+01:00")
        // As the next start, and a command without an agent, read it.
        #expect(ReportStatus(bench.memory.read()).line == bench.view.now.reports.line)
    }
}
