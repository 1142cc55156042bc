// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// A window of three minutes over epochs of one, each given by the minute at which it ends.
@Suite struct FeatureWindowTests {
    private static func window(_ epochs: [(end: Int, value: Double?)]) throws -> FeatureWindow {
        let rules = try RuleSample.read(
            RuleSample.move + "[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5\n")
        var window = FeatureWindow(try #require(rules.features.first), reach: .seconds(180))
        for (end, value) in epochs { window.add(epoch(end, value)) }
        return window
    }

    private static func epoch(
        _ end: Int, _ value: Double?, from source: String = "accelerometer", seconds: Int = 60
    ) -> FeatureEpoch {
        FeatureEpoch(
            source: source, start: Sample.after(end) - .seconds(seconds), length: .seconds(seconds),
            columns: ["counts_x", "counts_vm"], values: [0, value], coverage: 1)
    }

    /// What does not follow the newest is passed over: an epoch is told once, and in order.
    @Test(
        arguments: [
            ([(1, 1), (2, 2), (3, 4)], 7), ([(1, 1), (2, 2), (3, 4), (3, 8)], 7), ([(1, 1), (3, 4), (2, 2)], nil),
            ([(1, 1), (2, 2), (3, 4), (1, 8)], 7), ([(0, 8), (1, 1), (2, 2), (3, 4)], 7),
            ([(1, 1), (2, 2), (3, 4), (4, 8)], 7), ([(1, 1), (2, 2)], nil), ([], nil),
        ] as [([(Int, Double)], Double?)])
    func itsValueIsOfTheEpochsWithinIt(_ epochs: [(Int, Double)], _ value: Double?) throws {
        let window = try Self.window(epochs.map { ($0.0, $0.1) })
        #expect(window.value(at: Sample.after(3)) == value)
    }

    @Test func otherSensorsAndOtherLengthsAreNotLookedAt() throws {
        var window = try Self.window([(1, 1), (2, 2)])
        window.add(Self.epoch(3, 8, from: "sound"))
        window.add(Self.epoch(3, 8, seconds: 30))
        #expect(window.newest == Sample.after(2))
        window.add(Self.epoch(3, 4))
        #expect(window.newest == Sample.after(3) && window.value(at: Sample.after(3)) == 7)
    }

    /// Seconds after ten; the newest epoch ends at three minutes, whether it has a value or not.
    @Test(arguments: [(120, true), (179, true), (180, true), (239, true), (240, false), (600, false)])
    func itIsCompleteOnceTheLastEpochBeforeIsThere(seconds: Int, isComplete: Bool) throws {
        for value in [4, nil] as [Double?] {
            let window = try Self.window([(1, 1), (2, 2), (3, value)])
            #expect(window.isComplete(at: Sample.start + .seconds(seconds)) == isComplete)
        }
        #expect(try !Self.window([]).isComplete(at: Sample.start))
    }
}
