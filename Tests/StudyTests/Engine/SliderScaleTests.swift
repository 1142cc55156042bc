// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// The numbers of a slider come from a study's file: JSON's numbers are all of binary64 (RFC 8259
/// §6), and none of them may end the program.
@Suite struct SliderScaleTests {
    private static func scale(_ minimum: Double, _ maximum: Double, _ step: Double, initial: Double? = nil)
        -> SliderScale
    {
        SliderScale(
            SliderFormat(
                minimum: minimum, maximum: maximum, step: step, minimumLabel: "", maximumLabel: "", initial: initial))
    }

    private static let ends: [Double] = [
        0, -0.0, 1, -1, 0.1, .leastNonzeroMagnitude, 1e-300, 9.2e18, 9.3e18, 1e300, 1.7e308, -1.7e308, .infinity,
        -.infinity, .nan,
    ]

    @Test func noNumberOfAFileIsTooMuch() {
        for minimum in Self.ends {
            for maximum in Self.ends {
                for step in Self.ends {
                    for initial in Self.ends {
                        let scale = Self.scale(minimum, maximum, step, initial: initial)
                        #expect((1...SliderScale.mostPlaces).contains(scale.count))
                        #expect((0..<scale.count).contains(scale.start), "\(minimum) \(maximum) \(step) \(initial)")
                        if let place = scale.place(of: initial) { #expect((0..<scale.count).contains(place)) }
                        #expect(!scale.text(scale.start).isEmpty)
                    }
                }
            }
        }
    }

    /// Places by hand: 0 to 10 by 1 has eleven, 0 to 1 by 0.1 too; the last is reached
    /// only by whole steps.
    @Test func placesAreSteps() {
        #expect(
            Self.scale(0, 10, 1).count == 11 && Self.scale(0, 1, 0.1).count == 11 && Self.scale(0, 10, 3).count == 4)
        #expect(Self.scale(0, 1, 0.1).text(3) == "0.3" && Self.scale(0, 1, 0.1).place(of: 0.3) == 3)
        #expect(Self.scale(0, 10, 1, initial: 99).start == 10 && Self.scale(0, 10, 1, initial: -9).start == 0)
        #expect(Self.scale(0, 10, 1).place(of: 10.5) == nil && Self.scale(0, 10, 1).place(of: 1e300) == nil)
    }

    /// A held step goes by tenths from the second repetition on where there are more than 20
    /// places, from the sixth on where there are fewer.
    @Test(arguments: [(20.0, "13"), (19.0, "12")]) func aLongScaleIsHeldThroughSooner(
        _ maximum: Double, _ place: String
    ) {
        var question = SteppedSliderQuestion(
            SliderFormat(minimum: 0, maximum: maximum, step: 1, minimumLabel: "", maximumLabel: "", initial: 9))
        let told = (0...2).flatMap { question.handle(.gesture(.next, repeats: $0)) }
        #expect(told.last == .say(.position(place)), "\(told)")
    }

    /// An end is told as a place when it is reached, and felt when it is pressed against.
    @Test(arguments: [(Gesture.next, ["2", "3"], 3.0), (.previous, ["0", "-1"], -1)]) func noStepLeadsBeyondAnEnd(
        _ gesture: Gesture, _ places: [String], _ end: Double
    ) {
        var question = SteppedSliderQuestion(
            SliderFormat(minimum: -1, maximum: 3, step: 1, minimumLabel: "", maximumLabel: "", initial: 1))
        for place in places { #expect(question.handle(.gesture(gesture, repeats: 0)) == [.say(.position(place))]) }
        for _ in 0..<2 { #expect(question.handle(.gesture(gesture, repeats: 0)) == [.say(.refused)]) }
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.number(end))])
    }
}
