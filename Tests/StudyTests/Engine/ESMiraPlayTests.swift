// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import PlatformESMira
import Testing

@testable import Study

/// The example study of ESMira, played for its fortnight by presses. Which dataset belongs to what
/// is the app's (`DataSet.kt`, `ActionTrigger.kt`, ESMira-apps f750e58).
@Suite struct ESMiraPlayTests {
    struct Played {
        var sent: [String: Int] = [:]
        var submitted: [String: [Instant]] = [:]
        var prompted: [String: [Instant]] = [:]
        var conductor: StudyConductor
    }

    static func study() throws -> StudyProtocol {
        let folder = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
        let file = try #require(fopen(folder + "/studies/esmira.json", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte >= 0 { bytes.append(UInt8(byte)) }
        return try ESMiraReader().decode(StudySource(bytes))
    }

    static func play(_ participant: Participant, group: String) throws -> Played {
        let study = try study().served(by: .reference)
        let planner = Planner(study: study, context: Sample.context(condition: group))
        var now = Moment(instant: Sample.start, monotonic: .zero)
        var limits = SessionLimits()
        // Signs of life do not matter here.
        limits.aliveInterval = .seconds(86_400)
        var played = Played(
            conductor: StudyConductor(
                planner: planner, scheduler: Scheduler(plan: planner.plan, facts: StudyFacts(condition: group)),
                panel: .reference, limits: limits, at: now))
        let context = WireContext(
            study: study, enrolment: Sample.enrolment(condition: group), zone: .utc, postURL: "https://s.example/")
        var hand = PressPlanner(participant, panel: .reference, opensList: true)
        var presses: [ButtonEvent] = []
        func note(_ report: Report) {
            for request in study.writer.requests(for: report, at: now.instant, in: context) {
                let parts = String(decoding: request.body, as: UTF8.self).split(separator: "\"")
                let type = parts.firstIndex(of: "eventType").map { String(parts[$0 + 2]) } ?? "?"
                played.sent[type, default: 0] += 1
            }
        }
        func send(_ event: StudyConductor.Event) {
            for effect in played.conductor.handle(event, at: now) {
                switch effect {
                case .report(let report):
                    note(report)
                    if case .prompted(let occurrence) = report {
                        played.prompted[occurrence.task, default: []].append(now.instant)
                    }
                case .note(.submitted(let task, let opening, _)):
                    played.submitted[task, default: []].append(now.instant)
                    send(.stored(SubmittedRun(task: task, opening: opening)))
                default: break
                }
            }
        }
        note(.enrolled)
        send(.tick)
        var turns = 0
        while now.instant < Sample.after(15 * 1_440), turns < 100_000 {
            turns += 1
            hand.observe(played.conductor)
            if presses.isEmpty, let move = try hand.move(on: played.conductor, at: now) { presses = move.edges }
            guard let time = [played.conductor.wake(at: now), presses.first?.time].compactMap(\.self).min() else {
                break
            }
            let later = max(time, now.monotonic)
            now = Moment(instant: now.instant + (later - now.monotonic), monotonic: later)
            if let press = presses.first, press.time <= now.monotonic {
                presses.removeFirst()
                send(.button(press))
            } else {
                send(.tick)
            }
        }
        #expect(turns < 100_000)
        return played
    }

    @Test func whoAnswersEverythingIsAskedOnceMoreAfterEachAnswer() throws {
        let played = try Self.play(Participant(otherwise: .first), group: "2")
        // Three a day from the day after joining; the period of 14 days has 14 days
        // after the first.
        #expect(played.prompted["26011"]?.count == 42)
        let now = try #require(played.submitted["26011"])
        let more = try #require(played.prompted["26013"])
        #expect(now.count == 42 && more.count == now.count)
        for (answer, prompt) in zip(now, more) {
            #expect(
                (60...360).contains((prompt - answer).components.seconds), "\((prompt - answer).components.seconds)")
        }
        // Once, raised by joining; twelve hours apart.
        #expect(played.submitted["26014"]?.count == 1)
        let evenings = try #require(played.submitted["26012"])
        #expect(zip(evenings, evenings.dropFirst()).allSatisfy { $1 - $0 >= .seconds(43_200) })
        #expect(played.sent["joined"] == 1)
        #expect(played.sent["questionnaire"] == played.submitted.values.reduce(0) { $0 + $1.count })
        #expect(played.sent["invitation"] == played.prompted.values.reduce(0) { $0 + $1.count })
        #expect(played.conductor.scheduler.ledger.isBalanced)
    }

    @Test func whoNeverComesIsRemindedTwiceAndThenMissed() throws {
        var participant = Participant(otherwise: .first)
        participant.misses = 1
        participant.opens = 0
        let played = try Self.play(participant, group: "1")
        #expect(played.sent["reminder"] == 84)
        // Those of the fortnight's 42, and of the evenings with their two hours.
        #expect(played.sent["invitation_missed"] == 42 + (played.prompted["26012"]?.count ?? 0))
        #expect(played.sent["questionnaire"] == nil && played.prompted["26013"] == nil)
        #expect(played.conductor.scheduler.ledger.isBalanced)
    }
}
