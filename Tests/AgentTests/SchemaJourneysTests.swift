// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// schema's tasks are moments that are fixed at enrolment, wherever the participant goes: held
/// against the app's own code.
///
/// A few hundred journeys; all ten thousand with `make journeys` (docs/schema.md).
@Suite struct SchemaJourneysTests {
    private static let isLong = getenv("STUDYD_JOURNEYS") != nil
    private static var count: Int { SchemaJourney.apps.count }

    private func moments(_ plan: Plan) -> [Instant] {
        plan.occurrences.sorted { $0.number < $1.number }.map(\.due)
    }

    /// A plan is made again at every start, in whatever zone the wall clock is by then.
    @Test(.timeLimit(.minutes(30))) func inEveryZoneThePlanIsThatOfTheAppsOwnCode() throws {
        try #require(Self.count == 10_000)
        var moved = 0
        for number in 1...(Self.isLong ? Self.count : 300) {
            let journey = SchemaJourney(number)
            let loaded = try LoadedStudy(journey.file, origin: "journey")
            let home = try Zone.load(journey.zone)
            let enrolment = Enrolment(
                id: "e", studyID: loaded.study.studyID, participant: ParticipantID("P"), condition: "A",
                instant: journey.enrolled, local: home.local(journey.enrolled), zone: home, seed: [1])
            let away = try Zone.load(SchemaJourney.zones[(number * 7) % SchemaJourney.zones.count])
            let app = SchemaJourney.apps[number - 1]
            for zone in [home, away] {
                let context = ScheduleContext(
                    enrolment: enrolment, zone: zone, chance: journey.chance, facts: StudyFacts(condition: "A"))
                let made = moments(Planner(study: loaded.study, context: context).plan)
                guard SchemaJourney.digest(made) != app.digest else { continue }
                Issue.record(
                    "journey \(number), \(journey.zone), now in \(zone.identifier): \(made.map(\.seconds)), not \(app.moments)"
                )
            }
            moved += home == away ? 0 : 1
        }
        if Self.isLong {
            print(
                "journeys: \(Self.count) plans as the app's own code has them, \(moved) of them made again in another zone"
            )
        }
    }

    private struct Tally {
        var journeys = 0, stops = 0, prompts = 0, ends = 0
    }

    /// The whole device: enrolled in one zone, switched off and on in others, with a participant
    /// who answers or does not.
    @Test(.timeLimit(.minutes(120))) func whoTravelsIsPromptedAsIfAtHome() async throws {
        var tally = Tally()
        // The draws of a device are its own.
        let numbers = (1...Self.count).lazy.filter { SchemaJourney($0).interval == 0 }
        for number in numbers.prefix(Self.isLong ? Self.count : 24) {
            try await travel(SchemaJourney(number), &tally)
        }
        if Self.isLong {
            print(
                "journeys: \(tally.journeys) devices, \(tally.stops) changes of zone, \(tally.prompts) prompts, \(tally.ends) ends, each once and at the app's moment"
            )
        }
    }

    private func travel(_ journey: SchemaJourney, _ tally: inout Tally) async throws {
        var dice = SplitMix64(seed: UInt64(journey.number) &+ 1_000_000)
        let home = try Zone.load(journey.zone)
        let loaded = try LoadedStudy(journey.file, origin: "journey")
        var participant = Participant()
        if dice.below(2) == 0 { participant.misses = 1 }
        var device = try await StudyDevice(
            loaded, buttons: AgentFixture.panels[1], participant: participant, at: journey.enrolled, in: home)
        let planned = try #require(device.study?.conductor.planner.plan)
        #expect(SchemaJourney.digest(moments(planned)) == SchemaJourney.apps[journey.number - 1].digest)
        let due = Dictionary(uniqueKeysWithValues: planned.occurrences.map { ($0.id, $0.due) })
        let end = (planned.occurrences.last?.due ?? journey.enrolled) + .seconds(2 * 86_400)

        var zones = [journey.zone]
        let span = max(1, Int((end - journey.enrolled).seconds))
        for stop in (0...dice.below(4)).map({ _ in dice.below(span) }).sorted() {
            let place = try Zone.load(SchemaJourney.zones[dice.below(SchemaJourney.zones.count)])
            let when = max(journey.enrolled + .seconds(stop), device.now.instant)
            try await device.run(until: when)
            let before = open(device)
            try await device.cutPower(for: .seconds(Int64(dice.below(2) * dice.below(43_200))), into: place)
            let now = device.now.instant
            let kept = before.filter { $0.expires.map { now < $0 } ?? true }.map(\.id)
            #expect(
                Set(kept).isSubset(of: open(device).map(\.id)), "journey \(journey.number): an open prompt vanished")
            if zones.last != place.identifier { zones.append(place.identifier) }
        }
        try await device.run(until: max(end, device.now.instant))
        try await check(device, due, zones, journey.number, &tally)
    }

    private func open(_ device: StudyDevice) -> [Occurrence] {
        (device.study?.conductor.scheduler.endings ?? []).filter {
            $0.outcome == nil && $0.occurrence.due <= device.now.instant
        }
        .map(\.occurrence)
    }

    private func check(
        _ device: StudyDevice, _ due: [String: Instant], _ zones: [String], _ number: Int, _ tally: inout Tally
    ) async throws {
        var (prompted, concluded, changes) = ([OccurrenceRecord](), [OccurrenceRecord](), [zones[0]])
        for logged in try await device.database.events(limit: -1) {
            switch logged.event {
            case .prompted(let occurrence): prompted.append(occurrence)
            case .concluded(let occurrence, let outcome):
                concluded.append(occurrence)
                #expect(outcome != .missed(.zoneChanged))
            case .zoneChanged(let from, let to, _):
                #expect(from == changes.last)
                changes.append(to)
            default: break
            }
        }
        #expect(changes == zones, "journey \(number): every change of zone stands in the log")
        for record in prompted + concluded {
            #expect(record.due == due[record.id], "journey \(number): \(record.id) is due at another moment")
        }
        #expect(Set(prompted.map(\.id)).count == prompted.count, "journey \(number): something was offered twice")
        #expect(Set(concluded.map(\.id)).count == concluded.count)
        let seen = concluded.map(\.id) + open(device).map(\.id)
        #expect(Set(seen) == Set(due.keys) && seen.count == due.count, "journey \(number): something vanished")
        tally.journeys += 1
        tally.stops += zones.count - 1
        tally.prompts += prompted.count
        tally.ends += concluded.count
    }
}
