// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Study
import SystemKit

/// Whose plan `studyd plan` and `simulate` make, and for which days.
struct PlanOptions: ParsableArguments {
    @Option(name: .long, help: "Local time of enrolment, e.g. 2026-03-01T09:00 (default: now).")
    var enrolled: String?

    @Option(name: .long, help: "The participant's time zone, e.g. Europe/Berlin (default: the system's).")
    var zone: String?

    @Option(name: .long, help: "Random seed.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "Study arm (default: random).")
    var condition: String?

    @Option(name: .long, help: "Show only this many days from the day of enrolment.")
    var days: Int?

    func validate() throws {
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days must be from 1 to 36500") }
        if let enrolled { try Self.check("--enrolled", enrolled) { _ = try LocalDateTime(parsing: enrolled) } }
        if let zone { try Self.check("--zone", zone) { _ = try SystemZone.load(zone) } }
    }

    private static func check(_ option: String, _ value: String, _ parse: () throws -> Void) throws {
        do { try parse() } catch { throw ValidationError("\(option) \(value.shown): \(error)") }
    }

    /// The context in which the study is planned; it begins at `first` where no time is given.
    func context(
        for loaded: LoadedStudy, _ arguments: PlatformArguments, from first: Instant? = nil
    ) throws -> ScheduleContext {
        let study = loaded.study
        let zone = try SystemZone.load(zone)
        let seed = try EnrolmentSeed.numbered(seed)
        let chance = Chance(enrolmentSeed: seed)
        let start =
            try enrolled.map { zone.resolve(try LocalDateTime(parsing: $0)).instant } ?? first ?? SystemClock().now
        let arm = try arm(in: study, chance)
        var generator: any RandomNumberGenerator = chance.generator(for: "participant")
        let enrolment = try Enrolment(
            in: study, participant: loaded.platform.pseudonym(before: nil, using: &generator), seed: seed, at: start,
            zone: zone, condition: arm)
        return ScheduleContext(
            enrolment: enrolment, zone: zone, chance: chance,
            facts: StudyFacts(
                condition: arm,
                variables: try PlatformOptions.refusing { try loaded.platform.variables(arguments, planning: study) }))
    }

    /// The arm that was asked for, else the one that the seed draws; throws where the study's file has it wrong.
    private func arm(in study: StudyProtocol, _ chance: Chance) throws -> String? {
        if let condition, !study.conditions.contains(condition) {
            let arms = study.conditions.map(\.shown).joined(separator: ", ")
            throw ValidationError("--condition \(condition): the study has \(arms)")
        }
        let arm = condition ?? ChanceDraw.condition(of: study, chance: chance)?.result
        if let arm, let refusals = study.arms?.refusals[arm] {
            throw EnrolmentError.armRefused(arm, refusals.map { "\($0.place): \($0.message)".shown })
        }
        return arm
    }
}
