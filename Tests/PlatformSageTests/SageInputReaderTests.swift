// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study
import Testing

@testable import PlatformSage

/// Fields at the limits of what they say of themselves; names as mobile-client-json's schemas
/// (`TextInputItem`) and SageResearch's `RSDInputFieldObject` have them.
@Suite struct SageInputReaderTests {
    private static func input(
        _ json: String, _ hint: String = ""
    ) throws -> (SageInputReader.Reading?, isRefused: Bool) {
        let root = try JSONNode(study: Array(json.utf8))
        var input = SageInputReader(place: JSONPlace(root: root), hint: hint, choices: nil, findings: Findings())
        let reading = input.read()
        return (reading, (try? input.findings.finish()) == nil)
    }

    private static func format(_ json: String, _ hint: String = "") throws -> AnswerFormat? {
        try input(json, hint).0?.format
    }

    private static func slider(_ low: Double, _ high: Double, _ step: Double) -> AnswerFormat {
        .slider(SliderFormat(minimum: low, maximum: high, step: step, minimumLabel: "", maximumLabel: ""))
    }

    @Test(arguments: [
        ("integer", #""minimumValue":0,"maximumValue":100"#, slider(0, 100, 1)),
        ("integer", #""minimumValue":0,"maximumValue":101"#, slider(0, 101, 2)),
        ("integer", #""minimumValue":100,"maximumValue":300"#, slider(100, 300, 2)),
        ("integer", #""minimumValue":-5,"maximumValue":5"#, slider(-5, 5, 1)),
        ("integer", #""minimumValue":0,"maximumValue":100,"stepInterval":10"#, slider(0, 100, 10)),
        ("integer", #""minimumValue":0,"maximumValue":100,"stepInterval":-1"#, slider(0, 100, 1)),
        ("number", #""minimumValue":100,"maximumValue":300"#, slider(100, 300, 2)),
        ("number", #""minimumValue":0,"maximumValue":2000,"stepInterval":1"#, slider(0, 2_000, 1)),
        ("number", #""minimumValue":0,"maximumValue":2001,"stepInterval":1"#, slider(0, 2_001, 20.01)),
    ])
    func aScaleHasAHundredPlacesUnlessItSaysOthers(type: String, options: String, format: AnswerFormat) throws {
        for hint in ["slider", "likert"] {
            #expect(try Self.format(#"{"type":"\#(type)","formatOptions":{\#(options)}}"#, hint) == format)
        }
    }

    /// A year that the study names comes before the one in which it is asked (AssessmentModel's YearFormatOptions).
    @Test(
        arguments: [
            ("", 1_900, 2_100), (#""allowFuture":false"#, 1_900, 2_026), (#""allowPast":false"#, 2_026, 2_100),
            (#""allowFuture":false,"allowPast":false"#, 2_026, 2_026),
            (#""allowFuture":true,"allowPast":true"#, 1_900, 2_100),
            (#""allowFuture":false,"maximumYear":2030"#, 1_900, 2_030),
            (#""allowPast":false,"minimumYear":1950"#, 1_950, 2_100),
            (#""allowFuture":false,"minimumYear":2030"#, 2_030, 2_030),
            (#""allowPast":false,"maximumYear":2020"#, 2_020, 2_020),
        ] as [(String, Double, Double)])
    func aYearWithoutFutureOrPastEndsWithTheOneInWhichItIsAsked(options: String, low: Double, high: Double) throws {
        guard case .number(let format)? = try Self.format(#"{"type":"year","formatOptions":{\#(options)}}"#) else {
            Issue.record("no number")
            return
        }
        #expect(
            format.asked(in: 2_026) == NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0),
            "\(format)")
    }

    /// Where places are fewer than numbers, or not the study's, that is said.
    @Test(arguments: [
        ("integer", #""minimumValue":0,"maximumValue":100"#, false),
        ("integer", #""minimumValue":0,"maximumValue":101"#, true),
        ("number", #""minimumValue":0,"maximumValue":1"#, true),
        ("number", #""minimumValue":0,"maximumValue":200"#, true),
        ("integer", #""minimumValue":0,"maximumValue":100,"stepInterval":10"#, false),
        ("number", #""minimumValue":0,"maximumValue":2000,"stepInterval":1"#, false),
        ("number", #""minimumValue":0,"maximumValue":2001,"stepInterval":1"#, true),
    ])
    func thatAScaleHasOtherPlacesIsSaid(type: String, options: String, isSaid: Bool) throws {
        let root = try JSONNode(study: Array(#"{"type":"\#(type)","formatOptions":{\#(options)}}"#.utf8))
        var input = SageInputReader(place: JSONPlace(root: root), hint: "slider", choices: nil, findings: Findings())
        #expect(input.read() != nil)
        #expect(input.findings.remarks.contains { $0.message.contains("100 places") } == isSaid)
    }

    /// Without both ends, or with nothing between them, there is nothing to slide on.
    @Test(arguments: [#""minimumValue":3"#, #""maximumValue":3"#, #""minimumValue":3,"maximumValue":3"#])
    func aScaleWithoutAWidthIsANumber(options: String) throws {
        guard case .number(let number)? = try Self.format(#"{"type":"integer","range":{\#(options)}}"#, "slider") else {
            Issue.record("no number")
            return
        }
        #expect(number.minimum ?? 3 == 3 && number.maximum ?? 3 == 3 && number.maximumFractionDigits == 0)
    }

    @Test(arguments: [("integer", 1, 0), ("number", -1, 0), ("number", 0, 0), ("decimal", 6, 6), ("double", 7, 6)])
    func aNumberHasAtMostSixPlaces(type: String, given: Int, places: Int) throws {
        guard
            case .number(let number)? = try Self.format(
                #"{"type":"\#(type)","formatOptions":{"maximumFractionDigits":\#(given),"unit":"kg"}}"#)
        else {
            Issue.record("no number")
            return
        }
        #expect(number.maximumFractionDigits == places && number.unit == "kg")
        guard case .number(let usual)? = try Self.format(#"{"type":"\#(type)"}"#) else { return }
        #expect(usual.maximumFractionDigits == (type == "integer" ? 0 : 4))
    }

    @Test(arguments: ["integer", "number", "year"]) func endsThatAreCrossedAreRefused(type: String) throws {
        let crossed = try Self.input(#"{"type":"\#(type)","formatOptions":{"minimumValue":5,"maximumValue":4}}"#)
        #expect(crossed.0 == nil && crossed.isRefused)
        let same = try Self.input(#"{"type":"\#(type)","formatOptions":{"minimumValue":5,"maximumValue":5}}"#)
        #expect(same.0 != nil && !same.isRefused)
        let text = try Self.input(#"{"type":"\#(type)","formatOptions":{"minimumValue":"5"}}"#)
        #expect(text.isRefused)
    }

    @Test(arguments: [
        ("", 1_900, 2_100), (#""minimumYear":1950"#, 1_950, 2_100), (#""maximumYear":1950"#, 1_900, 1_950),
    ])
    func aYearIsOfACenturyOrTwo(options: String, low: Double, high: Double) throws {
        #expect(
            try Self.format(#"{"type":"year","formatOptions":{\#(options)}}"#)
                == .number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0)))
    }

    /// Letters are those of TR 35's date field symbol table.
    @Test(arguments: [
        ("yyyy-MM-dd", false), ("M/d/yy h:mm a", false), ("yyyy-MM-dd'T'HH:mm:ss.SSSZ", false), ("yyyyMMdd", false),
        ("d 'de' LL 'de' yyyy", false), ("'MMM EEE'", false), ("dd''MM", false), ("yyyy年MM月", false),
        ("MMM d, yyyy", true), ("d MMMM", true), ("LLLL", true), ("EEE d", true), ("k:mm", true), ("D''", true),
    ])
    func aFormatThatIsNotWrittenInNumbersIsWarnedOf(coding: String, isWarned: Bool) throws {
        let json = #"{"type":"date","formatOptions":{"codingFormat":"\#(coding)"}}"#
        let root = try JSONNode(study: Array(json.utf8))
        var input = SageInputReader(place: JSONPlace(root: root), hint: "", choices: nil, findings: Findings())
        #expect(input.read() != nil)
        #expect(input.findings.remarks.contains { $0.path.hasSuffix("codingFormat") } == isWarned)
    }

    /// A day at the most, in its smallest unit, sent in seconds.
    @Test(arguments: [
        ("", "minutes", 1_440, 60), (#","displayUnits":["hour"]"#, "hours", 24, 3_600),
        (#","displayUnits":["minute","second"]"#, "seconds", 86_400, 1),
        (#","displayUnits":["minute"]"#, "minutes", 1_440, 60),
    ])
    func aDurationIsADayAtTheMost(units: String, unit: String, high: Double, scale: Double) throws {
        let reading = try #require(try Self.input(#"{"type":"duration"\#(units)}"#).0)
        #expect(
            reading.format == .number(NumberFormat(minimum: 0, maximum: high, maximumFractionDigits: 0, unit: unit)))
        #expect(reading.field.scale == scale)
    }

    /// `baseUnit` of `RSDDurationRangeObject.init(from:)` (SageResearch stable-3, line 106): the least of
    /// `durationUnits`, else `unit`, else seconds; `RSDNumberInputTableItem.validatedAnswer` takes the limits in
    /// that unit, and `RSDAnswerResultType.answerType` sends it.
    @Test(
        arguments: [
            (
                #""unit":"min","minimumValue":15,"maximumValue":360,"durationUnits":["min","hr"]"#, 15, 360, "minutes",
                "min"
            ),
            (#""unit":"min","durationUnits":["hr","s"]"#, 0, 86_400, "seconds", "s"),
            (#""unit":"hr","maximumValue":12"#, 0, 12, "hours", "hr"),
            (#""unit":"minutes""#, 0, 1_440, "minutes", "min"),
            (#""unit":"min","durationUnits":["days"]"#, 0, 1_440, "minutes", "min"),
            (#""maximumValue":90"#, 0, 90, "seconds", "s"), (#""unit":"days""#, 0, 86_400, "seconds", "s"),
        ] as [(String, Double, Double, String, String)])
    func aDurationOfOldHasTheUnitAndLimitsOfItsRange(
        range: String, low: Double, high: Double, unit: String, symbol: String
    ) throws {
        let reading = try #require(try Self.input(#"{"type":"duration","range":{\#(range)}}"#).0)
        #expect(
            reading.format == .number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0, unit: unit)))
        #expect(reading.field == SageField(.measurement(symbol)))
    }

    /// `rsd_flatMapSet` passes over them (SageResearch stable-3, `RSDDurationRangeObject.swift`:101).
    @Test(
        arguments: [
            (#""unit":"min""#, []), (#""durationUnits":["min","hr"]"#, []), (#""unit":"days""#, ["$.range.unit"]),
            (#""unit":"min","durationUnits":["days"]"#, ["$.range.durationUnits[0]"]),
            (#""durationUnits":["hours","week"]"#, ["$.range.durationUnits[1]"]),
        ] as [(String, [String])])
    func aUnitThatNoDurationHasIsNamed(range: String, paths: [String]) throws {
        let root = try JSONNode(study: Array(#"{"type":"duration","range":{\#(range)}}"#.utf8))
        var input = SageInputReader(place: JSONPlace(root: root), hint: "", choices: nil, findings: Findings())
        #expect(input.read() != nil)
        let named = input.findings.remarks.filter { $0.message.contains("no known unit") }
        #expect(named.map(\.path) == paths)
    }

    @Test func aDurationThatNothingCanBeIsRefused() throws {
        let json = #"{"type":"duration","range":{"minimumValue":9,"maximumValue":8}}"#
        let (reading, isRefused) = try Self.input(json)
        #expect(reading == nil && isRefused)
    }

    /// `RSDFactory.decodeRange` looks for dates first (SageResearch stable-2.0, `RSDFactory.swift`:510).
    @Test(
        arguments: [
            (#""minimumDate":"1930","maximumDate":"2005-12-31""#, 1_930, 2_005),
            (#""maximumDate":"2004""#, 1_900, 2_004), (#""maximumValue":2003"#, 1_900, 2_003),
            (#""minimumDate":"-inf","maximumDate":"inf""#, 1_900, 2_100), (#""minimumDate":"nan""#, 1_900, 2_100),
        ] as [(String, Double, Double)])
    func aYearOfOldCanBeLimitedByDates(range: String, low: Double, high: Double) throws {
        #expect(
            try Self.format(#"{"type":"year","range":{\#(range)}}"#)
                == .number(NumberFormat(minimum: low, maximum: high, maximumFractionDigits: 0)))
    }

    @Test(arguments: [("height", 300, "cm"), ("weight", 500, "kg")])
    func aMeasurementHasItsUnit(type: String, high: Double, unit: String) throws {
        #expect(
            try Self.format(#"{"type":"\#(type)"}"#)
                == .number(NumberFormat(minimum: 0, maximum: high, maximumFractionDigits: 1, unit: unit)))
    }

    @Test(
        arguments: [
            (#""characterLimit":1"#, 1), (#""characterLimit":0"#, nil), (#""characterLimit":-1"#, nil), ("", nil),
        ]
            as [(String, Int?)])
    func aTextIsAsLongAsItSays(options: String, length: Int?) throws {
        let head = #"{"type":"string""# + (options.isEmpty ? "" : ",") + options + "}"
        #expect(try Self.format(head) == .text(multiline: false, rules: TextRules(maximumLength: length)))
        #expect(
            try Self.format(head, "multipleLine") == .text(multiline: true, rules: TextRules(maximumLength: length)))
    }

    /// `RegExValidator` wants `numberOfMatches` to be 1 (SageResearch ddc72f18, `TextInputValidatorObjects.swift`:41;
    /// AssessmentModel-Swift 0d9f9dc, `TextEntryValidator.swift`, `_regExMatches`), `RSDRegExMatchValidator`
    /// of the fields before `> 0` (stable-2.0, `RSDTextFieldOptions.swift`:115).
    @Test(arguments: [
        ("[0-9]", "1", true, true), ("[0-9]", "x1", true, true), ("[0-9]", "12", false, true),
        ("[0-9]+", "12", true, true), ("[0-9]+", "1 2", false, true), ("^[0-9]+$", "12", true, true),
        ("^[0-9]+$", "x", false, false),
    ])
    func aPatternOfAValidatorIsFoundExactlyOnce(pattern: String, text: String, once: Bool, ever: Bool) throws {
        for (keys, isTaken) in [
            (#""regExValidator":{"pattern":"\#(pattern)"}"#, once),
            (#""textFieldOptions":{"textValidator":"\#(pattern)"}"#, ever),
        ] {
            guard case .text(_, let rules)? = try Self.format(#"{"type":"string",\#(keys)}"#) else {
                Issue.record("no text")
                continue
            }
            #expect(rules.accepts(text) == isTaken, "\(keys)")
        }
    }

    /// Keys of mobile-client-json's `StringTextInputItem`, and of SageResearch's `RSDTextFieldOptionsObject`.
    @Test(arguments: [
        (#""regExValidator":{"pattern":"^[a-m]+$","invalidMessage":"Only a to m"}"#, "Only a to m"),
        (#""regExValidator":{"pattern":"^[a-m]+$"}"#, ""),
        (
            #""textFieldOptions":{"textValidator":{"regExPattern":"^[a-m]+$","invalidMessage":"Only a to m"}}"#,
            "Only a to m"
        ),
        (#""textFieldOptions":{"textValidator":"^[a-m]+$"}"#, ""),
    ])
    func aTextIsHeldToItsPattern(options: String, message: String) throws {
        let rules = TextRules(pattern: try TextPattern(reading: "^[a-m]+$"), invalidMessage: message)
        #expect(try Self.format(#"{"type":"string",\#(options)}"#) == .text(multiline: false, rules: rules))
        let open = options.replacing("^[a-m]+$", with: "[a-m")
        #expect(try Self.input(#"{"type":"string",\#(open)}"#).isRefused)
    }

    /// The letters of TR 35's date field symbol table: the hour of `h` goes from 1 to 12, a fraction is cut off, and
    /// a zone is left out.
    @Test(arguments: [
        ("h:mm a", "12:05 AM", 0, 5), ("h:mm a", "1:00 AM", 1, 0), ("h:mm a", "11:59 AM", 11, 59),
        ("h:mm a", "12:00 PM", 12, 0), ("h:mm a", "1:07 PM", 13, 7), ("hh a", "11 PM", 23, 0), ("hh", "09", 21, 0),
        ("HH:mm:ss.SSS", "09:05:07.089", 9, 5), ("H:m:s.S", "9:5:7.0", 9, 5), ("yyyy-MM-dd", "2026-03-02", 0, 0),
        ("M/d/yy", "3/2/26", 0, 0), ("LL.dd", "03.02", 0, 0), ("yyyy-MM-dd'T'HH:mmZ", "2026-03-02T09:05", 9, 5),
        ("H 'o''clock'", "9 o'clock", 9, 0), ("''H", "'9", 9, 0), ("", "", 9, 0),
    ])
    func aMomentIsWrittenByItsFormat(format: String, text: String, hour: Int, minute: Int) throws {
        let time = try #require(LocalTime(hour: hour, minute: minute, second: 7, nanosecond: 89_900_000))
        let moment = LocalDateTime(LocalDate(daysSinceEpoch: 20_514), time)
        #expect(SageDate.text(moment, format) == text)
    }

    /// A time of day has no day to be early or late in.
    @Test func datesHaveEndsAndTimesHaveNone() throws {
        let day = #""formatOptions":{"minimumDate":"2020-02-29T10:00:00Z","allowFuture":false}"#
        let first = try #require(LocalDate(year: 2020, month: 2, day: 29))
        let ten = LocalTime(hour: 10, minute: 0) ?? .midnight
        let limits = DateLimits(earliest: .fixed(LocalDateTime(first, ten)), latest: .now)
        #expect(try Self.format(#"{"type":"date",\#(day)}"#) == .dateTime(.date, limits: limits))
        #expect(try Self.format(#"{"type":"timestamp",\#(day)}"#) == .dateTime(.dateTime, limits: limits))
        #expect(try Self.format(#"{"type":"time",\#(day)}"#) == .dateTime(.time, limits: DateLimits()))
        #expect(
            try Self.format(#"{"type":"date","formatOptions":{"allowPast":false,"allowFuture":true}}"#)
                == .dateTime(.date, limits: DateLimits(earliest: .now)))
        #expect(try Self.format(#"{"type":"date"}"#) == .dateTime(.date, limits: DateLimits()))
    }

    /// AssessmentModel-Swift offers the times from `minimumValue` to `maximumValue` (0d9f9dc, TimeQuestionViewModel.swift:37);
    /// SageResearch reads a date in its `codingFormat` (0ce0fd53, RSDDateRangeObject.swift), else without a limit.
    @Test(arguments: [
        ("time", #""minimumValue":"08:00""#, String?.some("any time of the day can be entered")),
        ("time", #""maximumValue":"20:00:00.000""#, "any time of the day can be entered"),
        ("time", #""allowFuture":false"#, "any time of the day can be entered"), ("time", "", nil),
        ("date", #""minimumDate":"2020-02""#, "no date such as 2026-12-31: it limits nothing"),
        ("date", #""maximumValue":"12/31/2026""#, "no date such as 2026-12-31: it limits nothing"),
        ("date", #""maximumDate":"2020-02-30""#, "no date such as 2026-12-31: it limits nothing"),
        ("date", #""maximumDate":"2020-02-29""#, nil), ("date", #""maximumDate":null"#, nil),
    ])
    func aLimitThatDoesNotHoldIsSaid(type: String, options: String, message: String?) throws {
        let root = try JSONNode(study: Array(#"{"type":"\#(type)","formatOptions":{\#(options)}}"#.utf8))
        var input = SageInputReader(place: JSONPlace(root: root), hint: "", choices: nil, findings: Findings())
        #expect(input.read() != nil)
        #expect(input.findings.remarks.map(\.message) == [message].compactMap(\.self))
    }

    /// "The maximum allowed date" is a moment, compared as one, and allowed (`RSDRange.swift` and `validateDate` of
    /// SageResearch ddc72f18); a day that is allowed is allowed to its end.
    @Test(arguments: [
        (#""maximumDate":"2026-12-31T18:00:00Z""#, "2026-12-31T08:30:00", true),
        (#""maximumDate":"2026-12-31T18:00:00Z""#, "2026-12-31T18:00:00", true),
        (#""maximumDate":"2026-12-31T18:00:00Z""#, "2026-12-31T18:01:00", false),
        (#""maximumValue":"2026-12-31T18:00:00.000-08:00""#, "2026-12-31T18:00:00", true),
        (#""maximumDate":"2026-12-31""#, "2026-12-31T23:59:00", true),
        (#""maximumDate":"2026-12-31""#, "2027-01-01T00:00:00", false),
        (#""minimumDate":"2026-12-31","maximumDate":"2026-12-31""#, "2026-12-31T08:30:00", true),
        (#""minimumDate":"2026-12-31","maximumDate":"2026-12-31""#, "2026-12-30T23:59:00", false),
        (#""minimumValue":"2026-12-31T10:00:00""#, "2026-12-31T10:00:00", true),
        (#""minimumValue":"2026-12-31T10:00:00""#, "2026-12-31T09:59:00", false),
    ])
    func aLimitHoldsToItsMinute(options: String, moment: String, isAllowed: Bool) throws {
        let now = LocalDateTime(LocalDate(daysSinceEpoch: 20_000), .midnight)
        for type in ["date-time", "date"] {
            guard
                case .dateTime(let format, let limits)? = try Self.format(
                    #"{"type":"\#(type)","formatOptions":{\#(options)}}"#)
            else {
                Issue.record("no date")
                continue
            }
            let range = try #require(limits.range(format, at: now))
            let seen = [range.lowerBound, range.upperBound].map { $0.text(fractionDigits: 0) }
            // Of a day alone, the day counts.
            let count = type == "date" ? 10 : 19
            let isIn = seen[0].prefix(count) <= moment.prefix(count) && moment.prefix(count) <= seen[1].prefix(count)
            #expect(isIn == (isAllowed || type == "date" && moment.contains("12-31")), "\(type) \(seen)")
        }
    }

    /// As in the example of mobile-client-json's README (05e583c, lines 448 and 452).
    @Test(arguments: [
        (#"[{"text":"Likert Scale","value":3},{"text":"Sliding Scale","value":3}]"#, 1), ("[1,2,1,1]", 2),
        (#"[{"text":"3","value":1},{"text":"3","value":2}]"#, 0), (#"[{"text":"a"},{"text":"b"}]"#, 0),
    ])
    func aValueOfTwoChoicesIsWarnedOf(choices: String, count: Int) throws {
        let root = try JSONNode(study: Array(#"{"type":"singleChoice","choices":\#(choices)}"#.utf8))
        var input = SageInputReader(place: JSONPlace(root: root), hint: "", choices: nil, findings: Findings())
        #expect(input.read() != nil)
        #expect(input.findings.remarks.count { $0.kind == .warning } == count)
    }

    @Test(arguments: [
        (#"{"type":"singleChoice","choices":[1,2]}"#, false), (#"{"type":"singleChoice","choices":[true]}"#, false),
        (#"{"type":"singleChoice","choices":[1.5]}"#, false), (#"{"type":"singleChoice","choices":[]}"#, true),
        (#"{"type":"singleChoice.integer","choices":[1.5]}"#, true),
        (#"{"type":"singleChoice.integer","choices":["1"]}"#, true),
        (#"{"type":"singleChoice.boolean","choices":[1]}"#, true),
        (#"{"type":"singleChoice.boolean","choices":["true"]}"#, true),
        (#"{"type":"singleChoice.number","choices":[1.5,2]}"#, false),
        (#"{"type":"singleChoice.number","choices":["1.5"]}"#, true),
        (#"{"type":"singleChoice.string","choices":[1]}"#, true),
        (#"{"type":"singleChoice.bytes","choices":[1]}"#, true),
        (#"{"type":"multipleChoice.string","choices":["a",{"value":"b"},{"text":"c"}]}"#, false),
        (#"{"type":"multipleChoice.string","choices":["a",{"value":"","text":""}]}"#, true),
        (#"{"type":"multipleChoice","choices":[[1]]}"#, true), (#"{"type":"riddle"}"#, true), ("{}", true),
    ])
    func choicesAreOfOneType(json: String, isRefused: Bool) throws {
        let read = try Self.input(json)
        #expect(read.isRefused == isRefused)
        guard !isRefused, case .choice(let format)? = read.0?.format else { return }
        #expect(format.isMultiple == json.contains("multiple") && !format.options.isEmpty)
    }

    /// AssessmentModel takes the type of the first choice that has a value (AssessmentModel-Swift 0d9f9dc,
    /// `ChoiceQuestion.swift`:119 and 323, `decodeIfPresent(JsonType.self, forKey: .baseType) ??
    /// choices.baseType()`).
    @Test(
        arguments: [
            (#"{"value":1,"text":"a"}"#, .integer), (#"{"value":1.5,"text":"a"}"#, .number),
            (#"{"value":true,"text":"a"}"#, .boolean), (#"{"value":"a","text":"a"}"#, .string),
            (#"{"text":"None","selectorType":"exclusive"},{"value":1,"text":"a"}"#, .integer),
            (#"{"text":"None"}"#, .string),
        ] as [(String, SageField.Kind)])
    func choicesWithoutABaseTypeAreOfTheTypeOfTheirValues(choices: String, kind: SageField.Kind) throws {
        let question = #"{"type":"choiceQuestion","identifier":"q","choices":[\#(choices)]}"#
        let study = try SageSample.study(["t.json": SageSample.task(question)])
        #expect(try SageSample.source(of: study).steps["q"]?.field?.kind == kind)
    }

    @Test(arguments: [
        (#"{"value":1,"text":"a","exclusive":true}"#, true), (#"{"value":1,"text":"a","isExclusive":true}"#, true),
        (#"{"value":1,"text":"a","selectorType":"exclusive"}"#, true),
        (#"{"value":1,"text":"a","selectorType":"all"}"#, true), (#"{"value":1,"text":"a"}"#, false),
        (#"{"value":1,"text":"a","exclusive":false}"#, false),
    ])
    func whatExcludesOthersDoesSoWhereSeveralCanBeChosen(choice: String, isExclusive: Bool) throws {
        for isMultiple in [true, false] {
            let type = isMultiple ? "multipleChoice" : "singleChoice"
            guard case .choice(let format)? = try Self.format(#"{"type":"\#(type)","choices":[\#(choice),2]}"#) else {
                Issue.record("no choice")
                continue
            }
            #expect(format.options.map(\.isExclusive) == [isExclusive && isMultiple, false])
        }
    }
}
