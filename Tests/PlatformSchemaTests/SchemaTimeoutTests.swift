// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformSchema

/// The README of schema-app/schema says milliseconds since 2022-03-09 (revision a6a6526; minutes
/// before), and the app adds the number to milliseconds; the upstream demo still has the 30 that
/// was meant as minutes, momenTUM's studies have numbers such as 72000000.
@Suite struct SchemaTimeoutTests {
    private func limit(_ number: Int, _ unit: StudyOptions.TimeoutUnit?) throws -> (Duration?, Remark?) {
        var source = StudySource(
            ProtocolText(
                alerts: """
                    "start_offset":1,"duration":1,"times":[{"hours":8,"minutes":0}],"timeout":true,"timeout_after":\(number)
                    """
            ).bytes)
        source.options.timeouts = unit
        let study = try SchemaReader().decode(source)
        let schedule = try #require(study.tasks.first?.schedule as? SchemaSchedule)
        return (schedule.timeout, study.remarks.first { $0.path.hasSuffix("timeout_after") })
    }

    /// Number, chosen unit, and what it comes to; whether that is loudly doubted.
    static let table: [(Int, StudyOptions.TimeoutUnit?, Duration, Bool)] = [
        (30, nil, .seconds(1_800), true), (999, nil, .seconds(59_940), true), (1_000, nil, .seconds(1), true),
        (30_000, nil, .seconds(30), true), (59_999, nil, .milliseconds(59_999), true),
        (60_000, nil, .seconds(60), false), (72_000_000, nil, .seconds(72_000), false),
        (30, .minutes, .seconds(1_800), false), (1_440, .minutes, .seconds(86_400), false),
        (30, .milliseconds, .milliseconds(30), true), (600_000, .milliseconds, .seconds(600), false),
    ]

    @Test(arguments: table.indices) func theUnitIsToldByTheSizeUnlessSomebodySays(_ index: Int) throws {
        let (number, unit, duration, isDoubted) = Self.table[index]
        let (limit, remark) = try limit(number, unit)
        #expect(limit == duration)
        #expect((remark?.kind == .warning) == isDoubted, "\(String(describing: remark))")
        if unit == nil, isDoubted { #expect(remark?.message.contains("--timeouts") == true) }
    }
}
