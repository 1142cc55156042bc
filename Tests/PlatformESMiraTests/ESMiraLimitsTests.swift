// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformESMira

/// Numbers of a study: the last that is read, and the first that is refused by its place.
@Suite struct ESMiraLimitsTests {
    private static func questionnaire(_ more: String) -> String { "\(ESMiraSample.pages),\(more)" }
    private static func trigger(_ more: String) -> String { questionnaire(#""actionTriggers":[{\#(more)}]"#) }
    private static func schedule(_ more: String) -> String { trigger(#""actions":[{}],"schedules":[{\#(more)}]"#) }
    private static func signal(_ more: String) -> String { schedule(#""signalTimes":[{\#(more)}]"#) }
    private static func event(_ more: String) -> String {
        trigger(#""actions":[{}],"eventTriggers":[{"cueCode":"questionnaire",\#(more)}]"#)
    }
    private static func input(_ more: String) -> String {
        #""pages":[{"inputs":[{"name":"a",\#(more)}]}]"#
    }

    @Test(arguments: [
        (input(#""responseType":"countdown","timeoutSec":#"#), 0, 86_400),
        (input(#""responseType":"likert","likertSteps":#"#), 2, 1_000_000),
        (input(#""responseType":"va_scale","maxValue":#"#), 0, 1_000_000),
        (input(#""responseType":"location","resolution":#"#), 0, 15),
        (questionnaire(#""durationStartingAfterDays":#"#), 0, 36_500),
        (questionnaire(#""durationPeriodDays":#"#), 0, 36_500),
        (questionnaire(#""completableMinutesAfterNotification":#"#), 0, 1_000_000),
        (questionnaire(#""limitCompletionFrequency":true,"completionFrequencyMinutes":#"#), 0, 1_000_000),
        (questionnaire(#""completableAtSpecificTime":true,"completableAtSpecificTimeStart":#"#), -1, 86_400_000),
        (questionnaire(#""completableAtSpecificTime":true,"completableAtSpecificTimeEnd":#"#), -1, 86_400_000),
        (questionnaire(#""limitToGroup":#"#), 0, 1_000),
        (#""pages":[{"inputs":[{"name":"a"}],"skipAfterSecs":#}]"#, 0, 1_000_000),
        (trigger(#""actions":[{"timeout":#}]"#), 0, 1_000_000),
        (trigger(#""actions":[{"reminder_count":#}]"#), 0, 1_000_000),
        (trigger(#""actions":[{"reminder_delay_minu":#}]"#), 0, 100_000),
        (schedule(#""dailyRepeatRate":#"#), 0, 36_500), (schedule(#""weekdays":#"#), 0, 127),
        (schedule(#""dayOfMonth":#"#), 0, 31), (signal(#""startTimeOfDay":#"#), -1, 172_800_000),
        (signal(#""random":true,"endTimeOfDay":#"#), -1, 172_800_000), (signal(#""frequency":#"#), 0, 1_000),
        (signal(#""minutesBetween":#"#), 0, 100_000), (event(#""delaySec":#"#), 0, 315_360_000),
        (event(#""delayMinimumSec":#"#), 0, 315_360_000),
    ])
    func theLastNumberIsReadAndTheNextIsRefused(_ template: String, _ least: Int, _ most: Int) {
        func problems(_ number: Int) -> [StudyFormatError.Problem] {
            ESMiraSample.problems(ESMiraSample.text(template.replacing("#", with: String(number))))
        }
        #expect(problems(least).isEmpty, "\(template) \(least)")
        #expect(problems(most).isEmpty, "\(template) \(most)")
        #expect(problems(least - 1).count == 1, "\(template) \(least - 1)")
        #expect(problems(most + 1).count == 1, "\(template) \(most + 1)")
    }

    /// `Input.maxValue` is a `Float`; `VaScaleView` takes it as the end of the scale where it is above 1, and sends
    /// `roundToInt` (ESMira-apps f750e58).
    @Test(arguments: [
        ("1", 100.0), ("1.5", 2), ("1.2", 1), ("2.4", 2), ("\"10.5\"", 11), ("999999.5", 1_000_000), ("0.5", 100),
    ])
    func aScaleMayEndAtAFraction(_ number: String, _ last: Double) throws {
        let study = try ESMiraSample.study(Self.input(#""responseType":"va_scale","maxValue":\#(number)"#))
        guard case .slider(let slider)? = study.tasks[0].content.steps.first?.format else {
            Issue.record("no scale")
            return
        }
        #expect(slider.minimum == 0 && slider.maximum == last)
    }

    /// Inputs within an input count as well; each is looked at once, however many there are.
    @Test(.timeLimit(.minutes(10)), arguments: [(19_999, 0), (20_000, 1), (200_000, 1)])
    func aStudyHasTwentyThousandInputs(_ parts: Int, _ problems: Int) {
        let inner = [String](repeating: "{}", count: parts).joined(separator: ",")
        let dynamic = Self.input(#""responseType":"dynamic_input","subInputs":[\#(inner)]"#)
        let found = ESMiraSample.problems(ESMiraSample.text(dynamic))
        #expect(found.count == problems, "\(found.prefix(3))")
        #expect(found.allSatisfy { $0.expected == "at most 20000 inputs in all" })
    }

    @Test(.timeLimit(.minutes(10)), arguments: [(20_000, 0), (20_001, 1)])
    func inputsOfPagesCountAsWell(_ count: Int, _ problems: Int) {
        let inputs = (0..<count).map { #"{"name":"a\#($0)"}"# }.joined(separator: ",")
        let found = ESMiraSample.problems(ESMiraSample.text(#""pages":[{"inputs":[\#(inputs)]}]"#))
        #expect(found.count == problems, "\(found.prefix(3))")
    }

    /// Numbers that no multiplication survives are refused like others.
    @Test(arguments: [
        ("minutesBetween", "200000000000000"), ("minutesBetween", "-200000000000000"),
        ("minutesBetween", "\"\(Int.max)\""), ("startTimeOfDay", "\(Int.max)"), ("endTimeOfDay", "\(Int.max - 1)"),
        ("startTimeOfDay", "\"\(Int.max)\",\"endTimeOfDay\":\"\(Int.max - 1)\""), ("frequency", "\(Int.max)"),
        ("endTimeOfDay", "\(Int.min)"),
    ])
    func aNumberThatIsFarTooLargeIsRefused(_ key: String, _ value: String) {
        for random in [true, false] {
            let text = Self.signal(#""random":\#(random),"\#(key)":\#(value)"#)
            #expect(!ESMiraSample.problems(ESMiraSample.text(text)).isEmpty, "\(text)")
        }
    }

    @Test(arguments: [
        (#""chartType":#"#, 0, 4), (#""dataType":#"#, 0, 3), (#""valueType":#"#, 0, 2),
        (#""showOnlyGroup":#"#, 0, 1_000),
        (#""axisContainer":[{"yAxis":{"observedVariableIndex":#}}]"#, -1, 1_000_000),
        (#""axisContainer":[{"yAxis":{"conditionType":#}}]"#, 0, 2),
        (#""axisContainer":[{"yAxis":{"conditions":[{"operator":#}]}}]"#, 0, 3),
    ])
    func theNumbersOfAChartHaveTheirLimits(_ template: String, _ least: Int, _ most: Int) {
        for statistics in ["personalStatistics", "publicStatistics"] {
            func problems(_ number: Int) -> [StudyFormatError.Problem] {
                let chart = template.replacing("#", with: String(number))
                return ESMiraSample.problems(
                    ESMiraSample.text(ESMiraSample.pages, #","\#(statistics)":{"charts":[{\#(chart)}]}"#))
            }
            #expect(problems(least).isEmpty && problems(most).isEmpty, "\(template)")
            #expect(problems(least - 1).count == 1 && problems(most + 1).count == 1, "\(template)")
        }
    }

    @Test(arguments: [
        ("randomGroups", 0, 1_000), ("additionalDaysActive", 0, 36_500), ("version", -1, Int(Int32.max)),
        ("subVersion", -1, Int(Int32.max)),
    ])
    func theSameOfTheStudysOwn(_ field: String, _ least: Int, _ most: Int) {
        func problems(_ number: Int) -> [StudyFormatError.Problem] {
            ESMiraSample.problems(
                #"{"id":1,"\#(field)":\#(number),"questionnaires":[{"internalId":2,\#(ESMiraSample.pages)}]}"#)
        }
        #expect(problems(least).isEmpty && problems(most).isEmpty)
        #expect(problems(least - 1).count == 1 && problems(most + 1).count == 1)
    }
}
