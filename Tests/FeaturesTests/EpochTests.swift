// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Features

@Suite struct EpochTests {
    @Test(arguments: [0, -60, 2, 4, 7, 35, 40, 61, 120, 600, 899, 901, 1800, 3600])
    func aLengthThatDoesNotDivideAQuarterOfAnHourIsRefused(seconds: Int) {
        #expect(Epoch(.seconds(seconds)) == nil)
    }

    @Test func whatIsNoWholeSecondIsRefused() { #expect(Epoch(.milliseconds(5500)) == nil) }

    @Test(arguments: [1, 5, 10, 15, 20, 25, 30, 45, 50, 60, 75, 90, 100, 150, 180, 225, 300, 450, 900])
    func edgesAreMultiplesOfTheEpochSince1970(seconds: Int) throws {
        let epoch = try #require(Epoch(.seconds(seconds)))
        let edge = Instant(seconds: 1_800_000_000)
        #expect(epoch.range(of: edge) == edge..<edge + .seconds(seconds))
        #expect(epoch.range(of: edge - .nanoseconds(1)).upperBound == edge)
        #expect(epoch.range(of: Instant(seconds: -1)) == Instant(seconds: -Int64(seconds))..<Instant.epoch)
    }

    /// The fact that the lengths rest on, from the system's tzdata: since 1980 each offset of each
    /// zone is a multiple of a quarter of an hour.
    @Test func everyZoneIsAMultipleOfAQuarterOfAnHourAway() throws {
        let table = try String(decoding: Self.contents("/usr/share/zoneinfo/tzdata.zi"), as: UTF8.self)
        let names = table.split(separator: "\n").filter { $0.hasPrefix("Z ") }.map {
            String($0.split(separator: " ")[1])
        }
        #expect(names.count > 300)
        for name in names {
            let zone = try Zone(identifier: name, file: Self.contents("/usr/share/zoneinfo/\(name)"))
            for day in stride(from: Int64(315_532_800), to: 2_524_608_000, by: 86_400 * 20) {
                let offset = zone.period(at: Instant(seconds: day)).offset
                #expect(offset % 900 == 0, "\(name) is \(offset) s away at \(day)")
            }
        }
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read)
        return try file.read(file.size(), at: 0)
    }
}
