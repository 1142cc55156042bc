// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct ActiveStudyTests {
    static let begin = "2026-03-27T10:00:00"

    private func device(_ buttons: [String] = AgentFixture.panels[2]) async throws -> StudyDevice {
        try await StudyDevice(
            LoadedStudy.load(AgentFixture.sleepStudy), buttons: buttons, participant: AgentFixture.participant(),
            at: Self.begin)
    }

    private func outcomes(_ device: StudyDevice) -> [String: Outcome?] {
        Dictionary(
            uniqueKeysWithValues: device.study?.conductor.scheduler.endings.map { ($0.occurrence.id, $0.outcome) } ?? []
        )
    }

    /// What the log and the scheduler say of the same thing.
    private func checkAgreement(_ device: StudyDevice) async throws {
        let logged = try await device.database.outcomes(of: device.enrolment)
        for (id, outcome) in outcomes(device) { #expect(logged[id] == outcome, "\(id)") }
        // Signalled again (a reminder, a restart) it is the same prompt.
        for kind in ["prompted", "presented"] {
            let ids = try await device.database.events(kind: kind, limit: -1).map { event in
                switch event.event {
                case .prompted(let occurrence): occurrence.id
                case .presented(let id): id
                default: ""
                }
            }
            #expect(Set(ids).count == ids.count && !ids.contains(""), "\(kind): \(ids)")
        }
        let ledger = device.study?.conductor.scheduler.ledger
        #expect(ledger?.isBalanced == true)
        #expect(try await device.database.counts().isBalanced)
        #expect(try await device.database.verifyLog() == nil)
        let counted = try await device.database.selfStartedRuns(of: device.enrolment).submitted
        #expect(ledger?.selfStarted == counted)
    }

    /// Where the power is cut.
    enum Cut: String, CaseIterable, Sendable {
        case idle, prompted, running, answering, justSubmitted

        func isReached(_ device: StudyDevice) -> Bool {
            switch self {
            case .idle: device.isIdle && device.prompt == nil
            case .prompted: device.isIdle && device.prompt != nil
            case .running: device.run != nil
            case .answering: (device.run?.questions.count ?? 0) > 1
            case .justSubmitted: device.hasJustSubmitted
            }
        }
    }

    @Test(arguments: Cut.allCases) func aRestartChangesNoOutcome(_ cut: Cut) async throws {
        var whole = try await device()
        let end = whole.now.instant + .seconds(4 * 86_400)
        try await whole.run(until: end)
        try await checkAgreement(whole)
        #expect(outcomes(whole).values.contains(.completed))

        var restarted = try await device()
        for day in 0..<4 {
            let from = restarted.now.instant
            let noon =
                whole.zone.resolve(
                    LocalDateTime(whole.zone.local(from).date.adding(days: day == 0 ? 0 : 1), .midnight)
                ).instant + .seconds(10 * 3600)
            try await restarted.run(until: max(noon, from))
            try await restarted.run(until: end) { cut.isReached($0) }
            if restarted.now.instant < end { try await restarted.cutPower() }
        }
        try await restarted.run(until: end)
        try await checkAgreement(restarted)
        #expect(restarted.boots == 5)
        #expect(outcomes(restarted) == outcomes(whole))
    }

    @Test func whatFellDueWhileThePowerWasOffIsMissedForThatReason() async throws {
        var device = try await device()
        try await device.run(until: device.now.instant + .seconds(3600 * 13))
        try await device.cutPower(for: .seconds(86_400))
        try await device.run(until: device.now.instant + .seconds(86_400))
        try await checkAgreement(device)
        let ledger = try #require(device.study?.conductor.scheduler.ledger)
        // A morning, three moments and an evening.
        #expect(ledger.missed[.deviceOff] == 5)
        #expect(ledger.missed[.clockUnknown] == nil)
    }

    /// With a row that the log has from before.
    private func restart(_ device: inout StudyDevice, with event: StudyEvent) async throws {
        try await device.database.append(
            [event],
            at: EventStamp(
                wall: device.now.instant, monotonic: device.now.monotonic, bootID: "boot 1", zoneOffset: 0,
                enrolment: device.enrolment))
        try await device.cutPower()
    }

    @Test func whatFellDueWhilePromptsWereOffIsNotSignalledByARestart() async throws {
        var device = try await device()
        let begin = device.now.instant
        func withheld(_ device: StudyDevice) -> String? {
            device.study?.conductor.scheduler.endings.first { occurrence, outcome in
                outcome == nil && occurrence.isSignalled && occurrence.due > begin
                    && occurrence.due <= device.now.instant
            }?.occurrence.id
        }
        try await restart(&device, with: .promptsSwitched(on: false))
        try await device.run(until: begin + .seconds(2 * 86_400)) { withheld($0) != nil }
        let id = try #require(withheld(device))
        try await device.run(until: device.now.instant + .seconds(60))
        try await restart(&device, with: .promptsSwitched(on: true))
        #expect(device.study?.conductor.scheduler.opening(of: id, at: device.now.instant) != nil)
        let signalled = try await device.database.occurrences(of: device.enrolment)
        #expect(!signalled.contains { $0.occurrence.id == id })
    }

    @Test func aPromptThatWasPutOffComesAgainWhenItWouldHaveWithoutARestart() async throws {
        var device = try await device()
        try await device.run(until: device.now.instant + .seconds(2 * 86_400)) { $0.prompt != nil }
        let prompt = try #require(device.prompt)
        let again = device.now.instant + SessionLimits().putOffDelay
        try await restart(&device, with: .promptPutOff(occurrence: prompt.id))
        #expect(device.prompt == nil)
        try await device.cutPower(for: .seconds(120))
        #expect(device.prompt == nil)
        try await device.run(until: again + .seconds(60)) { $0.prompt != nil }
        #expect(device.prompt?.id == prompt.id && device.now.instant == again)
        // What was put off for a time that passed without power comes at once.
        try await restart(&device, with: .promptPutOff(occurrence: prompt.id))
        try await device.cutPower(for: SessionLimits().putOffDelay)
        #expect(device.prompt?.id == prompt.id)
        try await checkAgreement(device)
    }

    @Test func switchedOffPromptsStayOffOverARestart() async throws {
        var device = try await device()
        try await restart(&device, with: .promptsSwitched(on: false))
        try await device.run(until: device.now.instant + .seconds(2 * 86_400))
        try await checkAgreement(device)
        let ledger = try #require(device.study?.conductor.scheduler.ledger)
        #expect(ledger.completed == 0)
        #expect((ledger.missed[.promptsOff] ?? 0) > 5)
    }

    @Test func aTaskThatWasTakenOutStaysOutOverARestartUntilAnotherVersionHasIt() async throws {
        var device = try await device()
        let study = try #require(device.study)
        let task = try #require(study.conductor.planner.plan.occurrences.last?.task)
        func isToCome(_ device: StudyDevice) -> Bool? {
            device.study?.conductor.scheduler.toCome.contains { $0.task == task }
        }
        #expect(isToCome(device) == true)
        try await device.send(.retired([task]))
        try await device.cutPower()
        #expect(isToCome(device) == false)
        try await checkAgreement(device)
        try await restart(&device, with: .studyUpdated(fileDigest: study.record.fileDigest, version: "2"))
        #expect(isToCome(device) == true)
    }

    /// Each opening has its own draws, also after a restart.
    @Test func openingsGoOnWhereTheyWere() async throws {
        var device = try await device()
        try await device.run(until: device.now.instant + .seconds(86_400))
        let before = device.study?.conductor.openings
        #expect(before?.isEmpty == false)
        try await device.cutPower()
        #expect(device.study?.conductor.openings == before)
    }

    @Test func whoHasWithdrawnIsNotPromptedAgain() async throws {
        var device = try await device()
        try await device.database.withdraw(
            deletesUnsent: true, sending: [],
            at: EventStamp(
                wall: device.now.instant, monotonic: device.now.monotonic, bootID: "boot 1", zoneOffset: 0,
                enrolment: device.enrolment))
        try await device.cutPower()
        #expect(device.study == nil)
    }
}
