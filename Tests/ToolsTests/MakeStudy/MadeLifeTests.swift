// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import studyd_tools

@Suite struct MadeLifeTests {
    private static func life(_ number: Int, days: Int, seed: UInt64 = 1) throws -> MadeLife {
        MadeLife(
            number: number, days: days, from: try LocalDate(parsing: "2026-03-25"),
            home: try Zone.load("Europe/Berlin"), abroad: try Zone.load("Europe/Lisbon"), seed: seed)
    }

    /// Over the night in which the clocks of both zones go forward.
    @Test(arguments: [(1, 1), (2, 2), (3, 4), (1, 5), (2, 6), (3, 14), (2, 14), (200, 14)])
    func aDeviceIsEitherOnOrOffAndEndsAfterItsLastMidnight(number: Int, days: Int) throws {
        let life = try Self.life(number, days: days)
        #expect(life.powerOns.first?.start == life.enrolled)
        for (power, next) in zip(life.powerOns, life.powerOns.dropFirst()) {
            #expect(power.boot.length > .seconds(60))
            #expect(power.start + power.boot.length < next.start)
        }
        let last = try #require(life.powerOns.last)
        #expect(last.start + last.boot.length == life.end && !last.boot.isCut)
        let local = try Zone.load("Europe/Berlin").local(life.end)
        #expect(
            local
                == LocalDateTime(try LocalDate(parsing: "2026-03-25").adding(days: days), .midnight).adding(minutes: 5))
        #expect(life.body.spans.last.map { $0.end > (life.end - life.start).seconds } == true)
    }

    @Test func everyDayHasANightAndStepsOfAWalker() throws {
        let life = try Self.life(1, days: 14)
        let nights = life.body.spans.filter { $0.activity == .sleep && $0.end - $0.start > 5 * 3_600 }
        #expect(nights.count >= 14)
        #expect(life.body.walks.allSatisfy { (1.8...2.2).contains($0.stepRate) })
        #expect(life.body.walks.reduce(0) { $0 + $1.end - $1.start } > 14 * 1_800)
    }

    /// 1 g at rest, whatever the posture: what every reader of such files calibrates by.
    @Test func nothingButGravityIsFeltOnATable() throws {
        let life = try Self.life(1, days: 1)
        let table = try #require(life.body.spans.first { $0.activity == .notWorn })
        for second in stride(from: table.start + 5, to: table.end, by: 61) {
            let force = life.body.acceleration(at: second)
            #expect(abs((force * force).sum() - 1) < 1e-9)
        }
    }

    @Test func twoParticipantsAreNotOne() throws {
        let (one, other, again) = (try Self.life(1, days: 3), try Self.life(2, days: 3), try Self.life(1, days: 3))
        #expect(one.body.walks.map(\.start) == again.body.walks.map(\.start))
        #expect(one.powerOns.map(\.boot.id) == again.powerOns.map(\.boot.id))
        #expect(one.body.walks.map(\.start) != other.body.walks.map(\.start))
        #expect(Set(one.powerOns.map(\.boot.id)).isDisjoint(with: other.powerOns.map(\.boot.id)))
        #expect(try Self.life(1, days: 3, seed: 2).seed != one.seed)
    }

    /// As docs/first-use.md says: a charger is lost once, and what else happens depends on the length of the
    /// study and, by turns, on the participant.
    @Test(arguments: [
        (1, 4, [true, true, false], [13_200]), (2, 4, [true, true, false], [13_200]), (1, 5, [true, false], []),
        (2, 6, [true, false, false, false], []), (3, 5, [true, true, false], [86_400]),
    ]) func whatHappensToADeviceFollowsFromTheDaysAndItsNumber(
        number: Int, days: Int, cuts: [Bool], unknown: [Int64]
    ) throws {
        let boots = try Self.life(number, days: days).powerOns.map(\.boot)
        #expect(boots.map(\.isCut).sorted { $0 && !$1 } == cuts, "\(boots.map(\.isCut))")
        #expect(boots.map(\.clockKnownAfter).filter { $0 > .zero } == unknown.map(Duration.seconds))
        #expect(Set(boots.map(\.zone.identifier)).count == (number == 2 && days == 6 ? 2 : 1))
    }

    private static func words(_ event: StudyConductor.Event) -> String {
        switch event {
        case .studyStatus(let status, let isPaused): "\(status) \(isPaused)"
        case .retired(let tasks): tasks.sorted().joined()
        default: "?"
        }
    }

    /// A pause is from 8 to 20 o'clock and is heard once; a task that is taken out at noon is said at each start
    /// after that. On the last of two days the power fails twice.
    @Test func whatIsDecidedIsHeardWhenTheDeviceIsOn() throws {
        let (first, berlin) = (try LocalDate(parsing: "2026-03-25"), try Zone.load("Europe/Berlin"))
        let day = first.adding(days: 1)
        let life = MadeLife(
            number: 1, days: 2, from: first, home: berlin, abroad: berlin, seed: 1,
            decisions: [.remove(task: "evening", day), .pause(day)])
        let heard = life.powerOns.map { power in
            power.boot.news.map { news in
                let local = berlin.local(power.start + news.after)
                return "\(local.date) \(local.time.text(fractionDigits: 0)) \(Self.words(news.event))"
            }
        }
        #expect(
            heard == [
                ["2026-03-26 08:00:00 Paused true", "2026-03-26 12:00:00 evening"],
                ["2026-03-26 16:40:00 evening"],
                ["2026-03-26 18:23:00 evening", "2026-03-26 20:00:00 Active false"],
            ])
    }

    /// The charger is lost at 13:20 of a day before the middle of the study, which one by the number; in a study of
    /// fewer than five days on the last day. The journey is two days from the one after the middle on, and begins on
    /// the morning before. Moments are of the wall clock that the device had.
    @Test(
        arguments: [
            (1, 5, ["26 13:20"]), (2, 6, ["26 13:20", "28 10:00", "30 18:00"]), (3, 5, ["26 13:20", "27 07:40"]),
            (1, 14, ["27 13:20"]), (4, 14, ["30 13:20"]), (5, 14, ["26 13:20", "01 10:00", "03 18:00"]),
            (6, 14, ["27 13:20", "05 07:40"]), (3, 4, ["28 13:30", "28 18:20"]), (2, 1, ["25 13:30", "25 18:20"]),
        ] as [(Int, Int, [String])])
    func thePowerGoesAtItsTimes(number: Int, days: Int, ends: [String]) throws {
        let life = try Self.life(number, days: days)
        let found = life.powerOns.dropLast().map { power in
            let local = power.boot.zone.local(power.start + power.boot.length)
            return "\(local.date.description.suffix(2)) \(local.time.text(fractionDigits: 0).prefix(5))"
        }
        #expect(found == ends)
        let away = life.powerOns.map { $0.boot.zone.identifier == "Europe/Lisbon" }
        #expect(away == (ends.count == 3 ? [false, false, true, false] : ends.map { _ in false } + [false]))
    }

    /// Every second day the device lies on a table in the evening, and on the only day of a study.
    @Test(
        arguments: [(1, 1, [0]), (2, 1, [0]), (1, 2, [1]), (2, 2, [0]), (1, 4, [1, 3]), (2, 4, [0, 2])]
            as [(Int, Int, Set<Int>)])
    func theDeviceIsTakenOffEverySecondDay(number: Int, days: Int, taken: Set<Int>) throws {
        let spans = try Self.life(number, days: days).body.spans.filter { $0.activity == .notWorn }
        #expect(Set(spans.map { Int($0.start / 86_400) }) == taken)
        for span in spans {
            let hour = span.start.truncatingRemainder(dividingBy: 86_400) / 3_600
            #expect((17.5..<19.5).contains(hour) && (3_600..<10_800).contains(span.end - span.start), "\(span)")
        }
    }
}
