// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab
@testable import StandIns

/// Each result type as the Response server takes it, and what it says of everything else.
@Suite struct MyStudiesListRowsTests {
    /// A design with one step of that type and the key `k`.
    static func design(_ type: String) throws -> MyStudiesDesign {
        let inner = #"[{"type":"question","resultType":"text","key":"i"}]"#
        return MyStudiesDesign(
            try JSONReader.value(
                #"{"metadata":{"activityId":"L"},"steps":[{"type":"question","resultType":"\#(type)","key":"k","steps":\#(inner)}]}"#
            ))
    }

    static func rows(_ type: String, _ value: String, as sent: String? = nil) throws -> MyStudiesListRows {
        let result = try JSONReader.value(
            #"{"resultType":"\#(sent ?? type)","key":"K","value":\#(value)}"#, depthLimit: 32)
        return MyStudiesListRows([result], design: try design(type), list: "L")
    }

    static func mismatch(_ expected: String, _ value: String) -> String {
        "Value for field 'K' expected to be \(expected) but got \(value)"
    }

    @Test(arguments: [
        "scale", "continuousScale", "numeric", "height", "timeInterval", "SCALE",
    ])
    func numbersAreOf32BitsOrHaveAFraction(_ type: String) throws {
        for good in ["0", "-1", "2147483647", "-2147483648", "1.5", "1e3", "4294967296.0", "null"] {
            #expect(try Self.rows(type, good).errors.isEmpty, "\(good)")
        }
        for bad in ["2147483648", "-2147483649", #""1""#, "true", "[1]", "{}"] {
            #expect(try Self.rows(type, bad).errors == [Self.mismatch("DOUBLE", bad)], "\(bad)")
        }
    }

    @Test(arguments: ["textScale", "valuePicker", "imageChoice", "timeOfDay", "text", "email", "location"])
    func textsAreTexts(_ type: String) throws {
        for good in [#""""#, #""12:00:00""#, "null"] { #expect(try Self.rows(type, good).errors.isEmpty) }
        for bad in ["1", "1.5", "true", #"["a"]"#, "{}"] {
            #expect(try Self.rows(type, bad).errors == [Self.mismatch("VARCHAR", bad)], "\(bad)")
        }
    }

    @Test func truthIsTrueOrFalse() throws {
        for good in ["true", "false", "null"] { #expect(try Self.rows("boolean", good).errors.isEmpty) }
        for bad in ["1", #""true""#, "[]"] {
            #expect(try Self.rows("boolean", bad).errors == [Self.mismatch("BOOLEAN", bad)])
        }
    }

    @Test(arguments: [
        ("2017-05-03T16:14:40.000+0000", "2017-05-03 16:14:40.000"),
        ("2017-05-03T16:14:40-0400", nil), ("2017-05-03T24:00:00.000+0000", nil),
        ("2020-02-29", "2020-02-29 00:00:00.000"), ("2017-05-03T16:14:40.000Z", nil),
        ("2017-05-03T16:14:40.000+1800", "2017-05-03 16:14:40.000"),
        ("2017-05-03T16:14:40.000-1800", "2017-05-03 16:14:40.000"),
        ("2017-05-03T16:14:40.000+1759", "2017-05-03 16:14:40.000"), ("2017-05-03T16:14:40.000+1801", nil),
        ("2017-05-03T16:14:40.000-1801", nil), ("2017-05-03T16:14:40.000+0060", nil),
        ("2017-05-03T16:14:40.000+00:00", nil),
        ("2019-02-29", nil), ("2019-02-32", nil), ("2017-13-01", nil),
        ("2017-05-03T25:00:00.000+0000", nil), ("03.05.2017", nil), ("", nil),
        ("2017-05-03T16:14", nil),
    ])
    func aDateIsADayOrAStamp(_ text: String, _ written: String?) throws {
        let rows = try Self.rows("date", "\"\(text)\"")
        guard let written else {
            #expect(rows.errors == ["Invalid date string format for field 'K' (\(text))"])
            return
        }
        #expect(rows.errors.isEmpty && rows.rows[0].values == [.init(name: "k", value: .string(written))])
    }

    @Test func aDateIsNoNumber() throws {
        #expect(try Self.rows("date", "20170503").errors == [Self.mismatch("TIMESTAMP", "20170503")])
    }

    @Test func choicesAreAList() throws {
        for good in [
            "[]", #"["a","b"]"#, #"["a",{"other":"o","text":""}]"#, "null", "[1]", #"[{"text":"o"}]"#, "[null]",
        ] {
            #expect(try Self.rows("textChoice", good).errors.isEmpty, "\(good)")
        }
        for bad in [#""a""#, "1", "{}"] {
            #expect(try Self.rows("textChoice", bad).errors == [Self.mismatch("list of choices", bad)])
        }
        let null = #"[{"other":"o","text":null}]"#
        #expect(try Self.rows("textChoice", null).errors == [Self.mismatch("list of choices with texts", null)])
    }

    @Test(arguments: [("[]", []), (#"["a"]"#, ["a"]), (#"["b","a","b"]"#, ["b", "a", "b"])] as [(String, [String])])
    func eachChoiceIsARowOfItsOwnList(value: String, choices: [String]) throws {
        let rows = try Self.rows("textChoice", value).rows
        #expect(rows.map(\.list) == ["L"] + choices.map { _ in "LK" })
        #expect(rows.dropFirst().map { $0.values.map(\.value) } == choices.map { [JSONValue.string($0)] })
    }

    @Test(arguments: ["grouped", "fetalKickCounter", "spatialSpanMemory", "towerOfHanoi"])
    func groupsAreListsOfResults(_ type: String) throws {
        for bad in [#""a""#, "1", "{}", "true", "null"] {
            #expect(try Self.rows(type, bad).errors == [Self.mismatch("list of results", bad)])
        }
        for bad in ["[1]", #"[[{"resultType":""}],1]"#, #"[{"resultType":""},1]"#, "[[[]]]"] {
            let errors = try Self.rows(type, bad).errors
            #expect(errors.count == 1 && errors[0].hasPrefix("Not a result: "), "\(bad): \(errors)")
        }
        #expect(try Self.rows(type, "[]").errors.isEmpty)
        let stranger = #"[{"resultType":"numeric","key":"no","value":1}]"#
        #expect(try Self.rows(type, stranger).errors == ["Unable to find column 'no' in list 'LK'"])
    }

    static let kicks =
        #"[{"resultType":"numeric","key":"duration","value":60},{"resultType":"numeric","key":"count","value":9}]"#
    static let span =
        #"[{"resultType":"numeric","key":"Score","value":60},{"resultType":"numeric","key":"NumberofGames","value":3},{"resultType":"numeric","key":"NumberofFailures","value":1}]"#
    static let tower =
        #"[{"resultType":"boolean","key":"puzzleWasSolved","value":true},{"resultType":"numeric","key":"numberOfMoves","value":7}]"#

    @Test(arguments: [
        ("fetalKickCounter", kicks, ["duration", "count"]),
        ("spatialSpanMemory", span, ["score", "numberOfGames", "numberOfFailures"]),
        ("towerOfHanoi", tower, ["puzzleWasSolved", "numberOfMoves"]),
    ])
    func activeTasksHaveTheirColumnsUnderEitherName(_ type: String, _ value: String, _ columns: [String]) throws {
        for sent in [type, "grouped"] {
            let rows = try Self.rows(type, value, as: sent)
            #expect(rows.errors.isEmpty && rows.rows.map(\.list) == ["L", "LK"], "\(rows.errors)")
            #expect(rows.rows[1].values.map(\.name) == columns)
        }
    }

    @Test func solvedIsNoNumberAndMovesNoTruth() throws {
        let number = #"[{"resultType":"numeric","key":"puzzleWasSolved","value":1}]"#
        #expect(
            try Self.rows("towerOfHanoi", number).errors
                == ["Type 'numeric' (DOUBLE) of result 'puzzleWasSolved' does not match expected type (BOOLEAN)"])
        let text = #"[{"resultType":"boolean","key":"puzzleWasSolved","value":"true"}]"#
        #expect(
            try Self.rows("towerOfHanoi", text).errors == [
                #"Value for field 'puzzleWasSolved' expected to be BOOLEAN but got "true""#
            ])
    }

    @Test(arguments: [
        ("numeric", "text", "\"a\"", "Type 'text' (VARCHAR) of result 'K' does not match expected type (DOUBLE)"),
        (
            "date", "text", "\"2020-01-01\"",
            "Type 'text' (VARCHAR) of result 'K' does not match expected type (TIMESTAMP)"
        ),
        ("boolean", "numeric", "1", "Type 'numeric' (DOUBLE) of result 'K' does not match expected type (BOOLEAN)"),
        ("textChoice", "valuePicker", "\"a\"", "Unable to find column 'K' in list 'L'"),
        ("valuePicker", "textChoice", "[\"a\"]", "Invalid list 'LK'"),
        ("numeric", "grouped", "[]", "Invalid list 'LK'"),
        ("numeric", "mood", "1", "Type 'Unknown' (VARCHAR) of result 'K' does not match expected type (DOUBLE)"),
    ])
    func aResultOfAnotherTypeThanItsStepIsAnError(
        _ type: String, _ sent: String, _ value: String, _ error: String
    ) throws {
        #expect(try Self.rows(type, value, as: sent).errors == [error])
    }

    @Test func whatWasSkippedHasNoValueAndAnInstructionIsPassedOver() throws {
        for type in ["numeric", "text", "date", "boolean", "textChoice", "grouped", "towerOfHanoi"] {
            for value in [#","value":"""#, ",\"value\":null", ""] {
                let skipped = try JSONReader.value(#"{"resultType":"\#(type)","key":"k","skipped":true\#(value)}"#)
                let rows = MyStudiesListRows([skipped], design: try Self.design(type), list: "L")
                #expect(rows.errors.isEmpty && rows.rows.count == 1 && rows.rows[0].values.isEmpty)
            }
        }
        let instruction = try JSONReader.value(#"{"resultType":"","key":"none"}"#)
        #expect(MyStudiesListRows([instruction], design: try Self.design("text"), list: "L").errors.isEmpty)
    }

    @Test(arguments: [
        (#"[{"resultType":"text","key":"a"},{"resultType":"date","key":"A"}]"#, "more than one step with the key 'A'"),
        (#"[{"resultType":"mood","key":"a"}]"#, "step 'a' has an unknown result type"),
        (#"[{"resultType":"grouped","key":"g","steps":[{"resultType":"mood","key":"a"}]}]"#, "step 'a' has an unknown"),
        (#"[{"resultType":"text"}]"#, "no key"),
    ])
    func aDesignMayBeWrongItself(_ steps: String, _ problem: String) throws {
        let design = MyStudiesDesign(
            try JSONReader.value(#"{"metadata":{"activityId":"L"},"steps":\#(steps)}"#))
        #expect(design.problems.count == 1 && design.problems[0].contains(problem), "\(design.problems)")
    }

    @Test func aDesignNeedsItsNameAndSteps() throws {
        for text in [#"{"metadata":{"activityId":"L"}}"#, #"{"metadata":{},"steps":[]}"#, "{}"] {
            #expect(MyStudiesDesign(try JSONReader.value(text)).problems == ["The design lacks activityId or steps"])
        }
        // A group and its parent may both have a step of the same key.
        let twice =
            #"{"metadata":{"activityId":"L"},"steps":[{"resultType":"text","key":"a"},{"resultType":"grouped","key":"g","steps":[{"resultType":"text","key":"a"}]}]}"#
        #expect(MyStudiesDesign(try JSONReader.value(twice)).problems.isEmpty)
    }
}
