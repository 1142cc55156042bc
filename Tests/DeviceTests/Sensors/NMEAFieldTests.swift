// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

/// Fields at their limits, and just beyond them (NMEA 0183: hhmmss.ss, ddmmyy, ddmm.mmmm).
@Suite struct NMEAFieldTests {
    private func read<Value>(_ field: String, _ value: (borrowing NMEASentence) -> Value?) -> Value? {
        var framer = NMEAFramer()
        var found: Value?
        framer.append(NMEAEpochsTests.line("GPXXX,\(field),N")) { found = value($0) }
        return found
    }

    @Test(
        arguments: [
            ("000000", 0), ("235959", 86_399), ("235960", 86_400), ("123519.", 45_319), ("123519.0", 45_319),
            ("240000", nil), ("126000", nil), ("123561", nil), ("12351", nil), ("123519X", nil), ("12351955", nil),
            ("123519X5", nil), ("123519.5X", nil), ("-23519", nil), ("", nil),
        ] as [(String, Int64?)]) func aTimeOfDayIsSixDigitsAndAPoint(_ field: String, _ seconds: Int64?)
    {
        #expect(read(field) { $0.timeOfDay(1) } == seconds.map { $0 * 1_000_000_000 })
    }

    @Test(
        arguments: [
            ("180315", 2015), ("010168", 2068), ("010169", 1969), ("290224", 2024), ("290223", nil), ("310425", nil),
            ("000125", nil), ("011325", nil), ("18031", nil), ("1803155", nil), ("18031X", nil),
        ] as [(String, Int?)]) func aDateIsSixDigitsOfADayThatThereIs(_ field: String, _ year: Int?)
    {
        #expect(
            read(field) { $0.date(1) }
                == year.flatMap {
                    LocalDate(year: $0, month: Int(field.dropFirst(2).prefix(2)) ?? 0, day: Int(field.prefix(2)) ?? 0)
                })
    }

    @Test(
        arguments: [
            ("8959.9999", 5399.9999), ("9000.0000", 5400), ("9000.0001", nil), ("0000.0", 0), ("4460.0", nil),
            ("-4404.1", nil), ("4404.1X", nil),
        ] as [(String, Double?)]) func anAngleIsBelowItsLimitAndHasNoSixtiethMinute(_ field: String, _ minutes: Double?)
    {
        let found = read(field) { $0.minutes(1, UInt8(ascii: "N"), UInt8(ascii: "S"), limit: 90) }
        #expect(found == minutes.map { Int64(($0 * 1e8).rounded()) })
    }

    @Test(
        arguments: [
            ("0.01", 10_000), ("98.99", 98_990_000), ("99", nil), ("99.99", nil), ("0", nil), ("0.0", nil), ("-1", nil),
        ] as [(String, Int64?)]) func aDilutionThatSaysNothingIsNone(_ field: String, _ value: Int64?)
    {
        #expect(read(field) { $0.dilution(1) } == value)
    }
}
