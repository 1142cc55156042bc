// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent

/// What `status` says of the samples while no agent runs.
@Suite(.timeLimit(.minutes(10))) struct CutOffLedgerTests {
    private static func recording(_ id: String, rate: Double?, isExtra: Bool? = nil) -> RecordingRecord {
        RecordingRecord(
            id: id, itemClass: .motion, measure: "accelerometer", path: id, descriptionPath: id + ".json",
            sha256: "",
            bytes: 1, start: nil, end: nil, stored: 500, lost: ["overrun": 7, "powerCut": 90], rate: rate,
            isExtra: isExtra)
    }

    private static func ledger(_ rows: [StudyEvent]) async throws -> Ledger {
        let database = try StudyDatabase(.memory)
        for row in rows { try await database.append([StoreEntry(events: [row], stamp: Fixture.stamp(1))]) }
        let stamps = EventClock(clock: SystemClock(), bootID: "boot", zone: .utc)
        return try await StatusReader(database: database, view: nil, stamps: stamps, folder: "/tmp").ledger()
    }

    private static let begun = StudyEvent.measuringStarted(rates: ["accelerometer": 50], at: .zero)
    private static let counted = StudyEvent.samplesCounted(
        measure: "accelerometer", rate: 50, seconds: 10, due: 507, lost: [:])
    private static let sealed = StudyEvent.recordingSealed(recording: recording("1", rate: 50))

    /// ESMira's plain notifications ask nothing, so that none can be answered.
    @Test(arguments: [Outcome.completed, .missed(.deviceOff)]) func aNoticeIsNoPrompt(end: Outcome) async throws {
        var notice = Fixture.occurrence(1)
        notice.purpose = .notice(StudyNotice(kind: "notification", text: "Welcome", record: nil))
        let counts = try await Self.ledger([
            Fixture.enrolled, .concluded(occurrence: OccurrenceRecord(notice), outcome: end),
            .concluded(occurrence: Fixture.record(2), outcome: .expired),
        ]).occurrences
        #expect(counts.due == 1 && counts.expired == 1 && counts.isBalanced)
    }

    @Test func aRunThatWasCutOffLeavesNoDoubtAboutItsSamples() async throws {
        let ledger = try await Self.ledger([Self.begun, Self.sealed])
        #expect(ledger.isBalanced && ledger.samples.uncounted == 507)
        #expect(ledger.text.contains("due 507 = stored 500 + lost(overrun) 7; 507 of a run that was cut off"))
        #expect(ledger.json.text.contains(#""uncounted":507"#))
    }

    @Test(arguments: [
        ("orderly", [begun, counted, .measuringStopped, sealed]),
        ("cut off before any file", [begun, counted, .measuringStopped, sealed, begun]),
        ("a start that found the rest", [begun, sealed, counted, begun]),
    ])
    func whatIsAccountedForIsNotCountedAgain(name: String, rows: [StudyEvent]) async throws {
        let samples = try await Self.ledger(rows).samples
        #expect(samples.uncounted == 0 && samples.unaccounted == 0, "\(name): \(samples)")
    }

    /// An account that is missing though the end was in order is a fault, and is not explained away.
    @Test func anOrderlyEndWithoutItsAccountDoesNotBalance() async throws {
        let ledger = try await Self.ledger([Self.begun, Self.sealed, .measuringStopped])
        #expect(!ledger.isBalanced && ledger.samples.unaccounted == -507)
        #expect(!ledger.json.text.contains("uncounted\":"))
    }

    @Test func bytesAndWhatWasRecordedBesideAMeasureAreDueAsTheyAre() async throws {
        let ledger = try await Self.ledger([
            Self.begun, .recordingSealed(recording: Self.recording("2", rate: nil)),
            .recordingSealed(recording: Self.recording("3", rate: 50, isExtra: true)),
        ])
        #expect(ledger.samples.uncounted == 0 && ledger.isBalanced, "\(ledger.samples)")
    }
}
