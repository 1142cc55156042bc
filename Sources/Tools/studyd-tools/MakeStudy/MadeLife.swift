// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import SimulatedWorld
import Study

/// The weeks of one participant of a `MadeStudy`: what the body does, and when the device has power, knows the
/// time and is in which zone. Follows from the seed alone.
struct MadeLife: Sendable {
    /// The device is on: from its start until it is switched off or loses its power.
    struct PowerOn: Sendable {
        let start: Instant
        /// What the wall clock shows then; wrong where no reference vouches for it yet.
        let shown: Instant
        let boot: PlayedBoot
    }

    /// The first midnight, from which `body` counts.
    let start: Instant
    let enrolled: Instant
    let end: Instant
    let body: DailyLife
    let powerOns: [PowerOn]
    /// Seeds everything of this participant that is random.
    let seed: UInt64

    /// What the study team decides during the study.
    enum Decision: Sendable, Hashable {
        /// From 8 to 20 o'clock.
        case pause(LocalDate)
        /// A task is taken out of the study, at noon.
        case remove(task: String, LocalDate)
    }

    /// Somewhere else, for a while: which days begin there.
    private struct Trip {
        let zone: Zone
        let days: ClosedRange<Int>
    }

    /// The device is switched off or loses power, and how it comes back.
    private struct Outage {
        let at: Instant
        let off: Duration
        /// A power cut; else it is shut down in good order.
        let isCut: Bool
        /// From the start that follows: the device's zone, and how long its clock has no reference.
        var zone: Zone
        var clockKnownAfter = Duration.zero
    }

    /// The enrolment is in the morning of `first`, the end after the midnight of the last day.
    init(
        number: Int, days: Int, from first: LocalDate, home: Zone, abroad: Zone, seed: UInt64,
        decisions: [Decision] = []
    ) {
        var generator = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(number))
        self.seed = generator.next()
        let trip = days >= 6 && number % 3 == 2 ? Trip(zone: abroad, days: (days / 2 + 1)...(days / 2 + 2)) : nil
        func zone(_ day: Int) -> Zone { trip.flatMap { $0.days.contains(day) ? $0.zone : nil } ?? home }
        func moment(_ day: Int, _ minute: Int) -> Instant {
            zone(day).resolve(LocalDateTime(first.adding(days: day), .midnight).adding(minutes: minute)).instant
        }
        let midnights = (0...(days + 1)).map { moment($0, 0) }
        let start = midnights[0]
        self.start = start
        // From eight o'clock on, a quarter of an hour after each other.
        enrolled = moment(0, 8 * 60 + 15 * (number - 1) % 120)
        end = midnights[days] + .seconds(300)
        // By day, the hours of the evening in which the device is not worn.
        var away: [Int: ClosedRange<Double>] = [:]
        for day in 0..<days where days == 1 || (day + number) % 2 == 0 {
            let from = 17.5 + 2 * generator.unit()
            away[day] = from...(from + 1 + 2 * generator.unit())
        }
        body = DailyLife(midnights: midnights.map { ($0 - start).seconds }, away: away, seed: self.seed)
        let outages = Self.outages(number, days, trip.map { ($0.zone, $0.days) }, home, &generator, moment)
        let news = decisions.flatMap { Self.news($0, moment, first) }.sorted { $0.at < $1.at }
        var previousEnd = enrolled
        powerOns = Self.powerOns(outages, from: enrolled, to: end, home, &generator).map { power in
            defer { previousEnd = power.start + power.boot.length }
            return power.withNews(news, after: previousEnd)
        }
    }

    fileprivate struct News {
        let at: Instant
        let event: StudyConductor.Event
        /// Not stored on the device, so it is sent again at each start.
        var isRepeated = false
    }

    private static func news(_ decision: Decision, _ moment: (Int, Int) -> Instant, _ first: LocalDate) -> [News] {
        func at(_ day: LocalDate, _ hour: Int) -> Instant {
            moment(day.daysSinceEpoch - first.daysSinceEpoch, hour * 60)
        }
        return switch decision {
        case .pause(let day):
            [
                News(at: at(day, 8), event: .studyStatus("Paused", isPaused: true)),
                News(at: at(day, 20), event: .studyStatus("Active", isPaused: false)),
            ]
        case .remove(let task, let day): [News(at: at(day, 12), event: .retired([task]), isRepeated: true)]
        }
    }

    /// A lost charger for everyone; a journey for every third participant; a clock without a
    /// reference for another third, and for all where the study is short.
    private static func outages(
        _ number: Int, _ days: Int, _ trip: (zone: Zone, days: ClosedRange<Int>)?, _ home: Zone,
        _ generator: inout SplitMix64, _ moment: (Int, Int) -> Instant
    ) -> [Outage] {
        var outages: [Outage] = []
        if days < 5 {
            outages.append(Outage(at: moment(days - 1, 13 * 60 + 30), off: .seconds(11_400), isCut: true, zone: home))
            outages.append(
                Outage(
                    at: moment(days - 1, 18 * 60 + 20), off: .seconds(180), isCut: true, zone: home,
                    clockKnownAfter: .seconds(13_200)))
            return outages
        }
        let hours = 3 + Int(generator.unit() * 14)
        let out = 1 + number % max(1, days / 2 - 2)
        outages.append(
            Outage(at: moment(out, 13 * 60 + 20), off: .seconds(Int64(hours) * 3_600), isCut: true, zone: home))
        if let trip {
            outages.append(
                Outage(at: moment(trip.days.lowerBound - 1, 10 * 60), off: .seconds(40), isCut: false, zone: trip.zone))
            outages.append(
                Outage(at: moment(trip.days.upperBound, 18 * 60), off: .seconds(40), isCut: false, zone: home))
        }
        if number % 3 == 0 {
            outages.append(
                Outage(
                    at: moment(days - 3, 7 * 60 + 40), off: .seconds(200), isCut: true, zone: home,
                    clockKnownAfter: .seconds(86_400)))
        }
        return outages
    }

    private static func powerOns(
        _ outages: [Outage], from enrolled: Instant, to end: Instant, _ home: Zone, _ generator: inout SplitMix64
    ) -> [PowerOn] {
        var powerOns: [PowerOn] = []
        var (start, shown, zone, known) = (enrolled, enrolled, home, Duration.zero)
        for outage in outages.sorted(by: { $0.at < $1.at }) {
            let boot = PlayedBoot(
                id: generator.bootID(), length: outage.at - start, isCut: outage.isCut, zone: zone,
                clockKnownAfter: known)
            powerOns.append(PowerOn(start: start, shown: shown, boot: boot))
            (start, zone, known) = (outage.at + outage.off, outage.zone, outage.clockKnownAfter)
            // Without a battery the clock goes on from where it was saved last.
            shown = known == .zero ? start : outage.at
        }
        let boot = PlayedBoot(
            id: generator.bootID(), length: end - start, isCut: false, zone: zone, clockKnownAfter: known)
        return powerOns + [PowerOn(start: start, shown: shown, boot: boot)]
    }
}

extension MadeLife.PowerOn {
    /// With the study team's news of this time; what came while the power was off is received at the
    /// start.
    fileprivate func withNews(_ news: [MadeLife.News], after previousEnd: Instant) -> MadeLife.PowerOn {
        let end = start + boot.length
        let heard = news.filter { $0.at < end && ($0.at >= previousEnd || $0.isRepeated) }
            .map { (after: max(.zero, $0.at - start), event: $0.event) }
        return MadeLife.PowerOn(
            start: start, shown: shown,
            boot: PlayedBoot(
                id: boot.id, length: boot.length, isCut: boot.isCut, zone: boot.zone,
                clockKnownAfter: boot.clockKnownAfter, news: heard))
    }
}

extension MadeLife {
    /// What was really done and what really happened, to compare with what is found in recordings.
    func truth(of participant: String) -> JSONText {
        func text(_ seconds: Double) -> JSONText { .string((start + .seconds(seconds)).rfc3339()) }
        func span(_ from: Instant, _ to: Instant) -> [JSONText.Member] {
            [.init("from", .string(from.rfc3339())), .init("to", .string(to.rfc3339()))]
        }
        let last = (end - start).seconds
        let activities = body.spans.filter { $0.start < last }.map { span in
            JSONText.object([
                .init("activity", .string(span.activity.rawValue)), .init("from", text(span.start)),
                .init("to", text(min(span.end, last))),
            ])
        }
        let walks = body.walks.filter { $0.start < last && $0.end - $0.start >= 60 }.map { walk in
            JSONText.object([
                .init("from", text(walk.start)), .init("to", text(walk.end)),
                .init("stepsPerSecond", .decimal(walk.stepRate)),
            ])
        }
        let boots = powerOns.map { power in
            JSONText.object(
                span(power.start, power.start + power.boot.length) + [
                    .init("zone", .string(power.boot.zone.identifier)),
                    .init("clockKnown", .string((power.start + power.boot.clockKnownAfter).rfc3339())),
                    .init("end", .string(power.boot.isCut ? "power cut" : "orderly")),
                ])
        }
        return .object([
            .init("participant", .string(participant)), .init("enrolled", .string(enrolled.rfc3339())),
            .init("powered", .array(boots)), .init("activities", .array(activities)), .init("walks", .array(walks)),
        ])
    }
}

extension SplitMix64 {
    /// As `/proc/sys/kernel/random/boot_id` writes it.
    fileprivate mutating func bootID() -> String {
        let digits = (0..<2).map { _ in next().padded(16, radix: 16) }.joined()
        let cuts = [0, 8, 12, 16, 20, 32]
        let letters = Array(digits.lowercased())
        return zip(cuts, cuts.dropFirst()).map { String(letters[$0..<$1]) }.joined(separator: "-")
    }
}
