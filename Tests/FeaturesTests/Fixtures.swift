// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

@testable import Features

/// The signals of `features_reference.py`, number for number.
enum Signals {
    /// Steele, Lea and Flood's.
    struct SplitMix64 {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
        mutating func below(_ limit: UInt64) -> Int { Int(next() % limit) }
    }

    /// A quarter past: an edge of every epoch.
    static let start = Instant(seconds: 1_800_000_000)

    private static func sample(_ index: Int, _ rate: Int, _ counts: [Int]) -> MotionSample {
        MotionSample(
            time: start + .nanoseconds(Int64(index) * 1_000_000_000 / Int64(rate)), x: Double(counts[0]) / 1024,
            y: Double(counts[1]) / 1024, z: Double(counts[2]) / 1024)
    }

    private static func triangle(_ index: Int, _ period: Int) -> Int {
        abs(index * 4 % (4 * period) - 2 * period) - period
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }

    static func motion(rate: Int, seed: UInt64, seconds: Int) -> [MotionSample] {
        var dice = SplitMix64(state: seed)
        var (amplitude, period) = (0, 1)
        return (0..<rate * seconds).map { index in
            if index % (rate * 15) == 0 {
                amplitude = [0, 12, 90, 500, 2500][dice.below(5)]
                period = rate * 2 / (1 + dice.below(4))
            }
            return sample(
                index, rate,
                (0..<3).map { axis in
                    let swing = triangle(index + axis * 7, period)
                    let noise = ((dice.below(64) - 32) * amplitude) >> 8
                    return floor(floor(amplitude * swing, period), axis + 1) + noise + (axis == 2 ? 1024 : 0)
                })
        }
    }

    static func day(rate: Int, seed: UInt64, hours: Int, _ use: (MotionSample) -> Void) {
        var dice = SplitMix64(state: seed)
        var isWorn = true
        for minute in 0..<hours * 60 {
            if minute % 150 == 0 { isWorn = dice.below(3) != 0 }
            let moves = isWorn ? dice.below(3) != 0 : false
            let tilt = isWorn ? dice.below(512) : 100
            for index in minute * rate * 60..<(minute + 1) * rate * 60 {
                let swing = moves ? abs(index * 4 % (4 * rate) - 2 * rate) - rate : 0
                let counts = (0..<3).map { axis in
                    floor(floor(300 * swing, rate), axis + 1) + dice.below(16) - 8 + (axis == 1 ? tilt : 0)
                        + (axis == 2 ? 1000 : 0)
                }
                use(sample(index, rate, counts))
            }
        }
    }

    static func positions(seed: UInt64) -> [PositionSample] {
        var dice = SplitMix64(state: seed)
        var fixes: [PositionSample] = []
        var (time, latitude, longitude): (Int64, Int, Int) = (1_800_000_000, 52_500_000, 179_990_000)
        func add(_ latitude: Int, _ longitude: Int) {
            fixes.append(
                PositionSample(
                    time: Instant(seconds: time), latitude: Double(latitude) / 1e6,
                    longitude: Double((longitude + 180_000_000) % 360_000_000) / 1e6 - 180))
            time += 60
        }
        for _ in 0..<60 {
            for _ in 0..<2 + dice.below(40) {
                let north = latitude + dice.below(400) - 200
                add(north, longitude + dice.below(400) - 200)
            }
            for _ in 0..<dice.below(12) {
                latitude += dice.below(4001) - 2000
                longitude += dice.below(4001) - 1200
                add(latitude, longitude)
            }
            if dice.below(6) == 0 { time += 900 + Int64(dice.below(3)) * 1800 }
        }
        return fixes
    }
}

/// What others said of them: `features_reference.py` prints it, and says by which version.
struct Expected {
    let rows: [[Double]]

    init(_ name: String) throws {
        let file = try File(Self.path("expected-\(name).csv"), .read)
        let text = try String(decoding: file.read(file.size(), at: 0), as: UTF8.self)
        rows = text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
            .filter { !$0.isEmpty }
    }

    static func path(_ name: String) -> String {
        #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
    }

    /// `STUDYD_FEATURES_PYTHON` names a Python with the packages; else `STUDYD_PYTHON`'s is tried.
    static func live(_ words: [String]) -> [[Double]]? {
        let named = getenv("STUDYD_FEATURES_PYTHON") ?? getenv("STUDYD_PYTHON")
        let python = named.map { String(cString: $0) } ?? "python3"
        let command = ([python, "-W", "ignore", path("features_reference.py")] + words).map { "'\($0)'" }
        guard let pipe = popen(command.joined(separator: " ") + " 2>/dev/null", "r") else { return nil }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(pipe) == 0 else { return nil }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: ",").compactMap { Double($0) }
        }
    }

    static let isLive: Bool = {
        if live([]) != nil { return true }
        print("SKIPPED: agcounts is not installed; STUDYD_FEATURES_PYTHON may name a Python that has it")
        return false
    }()
}
