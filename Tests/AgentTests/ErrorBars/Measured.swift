// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit
import Testing

@testable import Device

/// What was measured on real devices and not thought up here.
enum Measured {
    /// How late clock_nanosleep(2) woke a thread, in microseconds at these shares of 4000 waits of
    /// 2 ms: Linux 6.18, two cores under a load of two, November 2026.
    private static let lateness: [(share: Double, microseconds: Double)] = [
        (0, 12), (0.1, 63), (0.5, 66), (0.9, 68), (0.95, 70), (0.99, 94), (0.995, 110), (0.999, 957), (1, 4150),
    ]

    /// One such wait.
    static func wakeUp(_ noise: inout SplitMix64) -> Duration {
        let share = Double.random(in: 0...1, using: &noise)
        let after = lateness.firstIndex { $0.share >= share } ?? 0
        let (a, b) = (lateness[max(0, after - 1)], lateness[after])
        let part = b.share > a.share ? (share - a.share) / (b.share - a.share) : 0
        return .nanoseconds(Int64((a.microseconds + part * (b.microseconds - a.microseconds)) * 1000))
    }

    /// The true times, in seconds from 0, at which a real ADXL345 took its samples: a day of every
    /// `step`th, from the block stamps of an AX3's recording (openmovement, example-610-steps.cwa),
    /// forth and back again and again. Its rate moves by some hundred ppm within minutes. Nil
    /// without ../shared/fixtures.
    static func chipTimes(step: Int, until end: Double) throws -> [Double]? {
        guard let path = fixture("accel/example-610-steps.cwa") else { return nil }
        let reader = try CWAReader(File(path, .read))
        var stamps: [Double] = []
        while let block = try reader.nextBlock() {
            guard let time = block.local(of: 0) else { continue }
            stamps.append(Double(time.instant(offset: 0).nanoseconds) / 1e9)
        }
        // The stamps are of a hundredth of a second: 17 blocks together tell the rate.
        let rates: [Double] = (8..<stamps.count - 9).map { (place: Int) -> Double in
            2040 / (stamps[place + 9] - stamps[place - 8])
        }
        let loop = rates + rates.reversed()
        var times: [Double] = []
        var (time, sample) = (0.013, 0)
        while time < end {
            if sample % step == 0 { times.append(time) }
            time += 1 / loop[sample / 120 % loop.count]
            sample += 1
        }
        return times
    }

    static func fixture(_ name: String) -> String? {
        let parts = #filePath.split(separator: "/")
        let paths: [String] = (4...7).map { (levels: Int) -> String in
            "/" + parts.dropLast(levels).joined(separator: "/") + "/shared/fixtures/" + name
        }
        let found = paths.first { access($0, R_OK) == 0 }
        if found == nil { print("SKIPPED: ../shared/fixtures/\(name) is not there") }
        return found
    }
}
