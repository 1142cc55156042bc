// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// Charts: `ChartBuilder.kt`, `ChartInfoCollection.kt` and `ObservedVariable.kt` of ESMira-apps
/// f750e58; the app's own test of conditions is repeated; what the server says of all participants
/// is the recorded answer of a real one.
@Suite struct ESMiraDrawingTests {
    /// `ObservedVariableTest.checkCondition`: one condition of each kind, each failing in turn.
    @Test(arguments: [
        (["10.0", "123123", "13.0", "12.0"], true, true), (["123123", "123123", "13.0", "12.0"], false, true),
        (["10.0", "unequal", "13.0", "12.0"], false, true), (["10.0", "123123", "11.0", "12.0"], false, true),
        (["10.0", "123123", "13.0", "14.0"], false, true), (["123123", "unequal", "11.0", "14.0"], false, false),
    ])
    func conditionsHoldAsInTheApp(_ answers: [String], all: Bool, any: Bool) {
        let conditions = [("equal", "10", 0), ("unequal", "unequal", 1), ("greater", "12.0", 2), ("lesser", "13", 3)]
            .map {
                ESMiraChart.Variable.Condition(key: $0.0, value: $0.1, comparison: $0.2)
            }
        let keys = conditions.map(\.key)
        let set = ESMiraDataset(day: 1, fields: Dictionary(uniqueKeysWithValues: zip(keys, answers)), known: [:])
        for (type, expected) in [(1, all), (2, any), (0, true)] {
            let variable = ESMiraChart.Variable(name: "x", index: 0, conditions: conditions, conditionType: type)
            #expect(set.fits(variable) == expected, "\(type)")
        }
    }

    /// `SaveStudy.php:72` sets every place and lists the variables; `AxisData.ts:7` has 0 for a default, which the
    /// editor's download leaves out, as the list (`Statistics.ts`, ESMira-web 0750ca3).
    @Test(arguments: [
        ("", "", 0), (#","observedVariableIndex":1"#, "", 1), (#","observedVariableIndex":-1"#, "", -1),
        ("", #","observedVariables":{}"#, -1), (#","observedVariableIndex":0"#, #","observedVariables":{}"#, 0),
    ])
    func aVariableOfADownloadedFileHasThePlaceThatWasLeftOut(_ place: String, _ more: String, _ read: Int) throws {
        let text =
            #"{"publicStatistics":{"charts":[{"axisContainer":[{"yAxis":{"variableName":"a"\#(place)}}]}]\#(more)}}"#
        var reader = ESMiraChartReader(
            JSONPlace(root: try JSONNode(Array(text.utf8))), language: "", columns: ["a"], findings: Findings())
        #expect(reader.charts("publicStatistics").first?.own.map(\.y.index) == [read])
    }

    /// Three days with answers, one between without: 2 and 4, none, 5, of which one is no number.
    private static func drawings(
        _ charts: String, shared: String = "", others: String? = nil, isOver: Bool = false
    ) throws -> [StudyDrawing] {
        let study = try ESMiraSample.study(
            #""pages":[{"inputs":[{"name":"mood","responseType":"number"},{"name":"calm","responseType":"number"},{"name":"place","responseType":"list_single","listChoices":["home","work"]}]}]"#,
            #","personalStatistics":{"charts":[\#(charts)]},"publicStatistics":{"charts":[\#(shared)]}"#)
        // 3 March 2026, 10:00 UTC.
        let first = Instant(milliseconds: 1_772_532_000_000)
        let runs = [
            (0, ["mood": AnswerValue.number(2), "calm": .number(1), "place": .choices(["work"])]),
            (1, ["mood": .number(4), "calm": .number(2), "place": .choices(["home"])]),
            (48, ["mood": .number(5), "calm": .number(4), "place": .choices(["work"])]), (49, ["calm": .number(5)]),
        ].map { DoneRun(task: "50001", submitted: first + .seconds(3_600 * $0.0), answers: $0.1) }
        return study.feedback?.drawings?.drawings(
            of: runs, others: others.map { Array($0.utf8) }, in: Joined.context(), isOver: isOver) ?? []
    }

    private static func axis(_ name: String, x: String = "", more: String = "") -> String {
        #"{"label":"L","yAxis":{"variableName":"\#(name)","observedVariableIndex":0},"xAxis":{"variableName":"\#(x)","observedVariableIndex":0}\#(more)}"#
    }

    /// An unanswered number counts as 0, as in the app: the last day has 5 and 0.
    @Test(arguments: [(0, [3, 0, 2.5]), (1, [6, 0, 5]), (2, [2, 0, 2])])
    func aDayShowsMeanSumOrCount(valueType: Int, values: [Double]) throws {
        let drawing = try #require(
            try Self.drawings(#"{"title":"T","valueType":\#(valueType),"axisContainer":[\#(Self.axis("mood"))]}"#).first
        )
        #expect(drawing.rows[0].points.map(\.y) == values)
        #expect(drawing.rows[0].points.map(\.label) == ["2026-03-03", "2026-03-04", "2026-03-05"])
    }

    /// `Questionnaire.saveQuestionnaire` puts every virtual input into the dataset, "" where no script gave it
    /// anything, and `ObservedVariable.createStatistic` counts what is there (ESMira-apps f750e58).
    @Test func aVirtualInputThatNoScriptFilledCountsAsUnanswered() throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"virtualInputs":["made"]"#,
            #","personalStatistics":{"charts":[{"axisContainer":[\#(Self.axis("made"))]}]}"#)
        let own = try ESMiraSample.questionnaire(of: study)
        #expect(own.fields([:]).map { [$0.name, $0.value] } == [["mood", ""], ["made", ""]])
        let answers: [Answers] = [[:], [ESMiraQuestionnaire.virtualKey("made"): .text("5")]]
        let runs = answers.map {
            DoneRun(task: "50001", submitted: Instant(milliseconds: 1_772_532_000_000), answers: $0)
        }
        let drawings = study.feedback?.drawings?.drawings(of: runs, others: nil, in: Joined.context(), isOver: false)
        #expect(try #require(drawings?.first).rows[0].points.map(\.y) == [2.5])
    }

    /// `DataSet.saveQuestionnaire` adds it before it looks at conditions; of a run whose beginning is not known
    /// nothing can be compared.
    @Test func aConditionSeesHowLongAQuestionnaireTook() throws {
        let condition = #""conditionType":1,"conditions":[{"key":"formDuration","value":"60000","operator":2}]"#
        let study = try ESMiraSample.study(
            ESMiraSample.pages,
            #","personalStatistics":{"charts":[{"valueType":2,"axisContainer":[{"yAxis":{"variableName":"mood","observedVariableIndex":0,\#(condition)}}]}]}"#
        )
        let submitted = Instant(milliseconds: 1_772_532_000_000)
        func counted(_ took: Int?) throws -> [Double] {
            let run = DoneRun(
                task: "50001", submitted: submitted, began: took.map { submitted - .milliseconds($0) },
                answers: ["mood": .number(3)])
            let drawings = study.feedback?.drawings?.drawings(
                of: [run], others: nil, in: Joined.context(), isOver: false)
            return try #require(drawings?.first).rows[0].points.map(\.y)
        }
        for (took, counts) in [(60_000, [1.0]), (59_999, []), (nil, [])] as [(Int?, [Double])] {
            #expect(try counted(took) == counts)
        }
    }

    @Test func valuesAreCountedWithoutTheEmptyOnes() throws {
        let chart = #"{"title":"T","chartType":2,"dataType":1,"inPercent":%,"axisContainer":[\#(Self.axis("place"))]}"#
        let drawing = try #require(try Self.drawings(chart.replacing("%", with: "false")).first)
        #expect(drawing.rows[0].points.map(\.label) == ["home", "work"])
        #expect(drawing.rows[0].points.map(\.y) == [1, 2])
        let shares = try #require(try Self.drawings(chart.replacing("%", with: "true")).first).rows[0].points.map(\.y)
        #expect(shares.map { ($0 * 100).rounded() } == [3_333, 6_667])
    }

    @Test func aRangeOfNumbersHasNoGap() throws {
        let drawing = try #require(
            try Self.drawings(
                #"{"title":"T","chartType":2,"dataType":1,"xAxisIsNumberRange":true,"axisContainer":[\#(Self.axis("calm"))]}"#
            ).first)
        #expect(drawing.rows[0].points.map(\.label) == ["1", "2", "3", "4", "5"])
        #expect(drawing.rows[0].points.map(\.y) == [1, 1, 0, 1, 1])
    }

    @Test func oneAnswerStandsAgainstAnotherWithTheLineOfLeastSquares() throws {
        let drawing = try #require(
            try Self.drawings(
                #"{"title":"T","chartType":3,"dataType":3,"axisContainer":[\#(Self.axis("mood", x: "calm"))]}"#
            ).first)
        #expect(drawing.rows[0].points.map { [$0.x, $0.y] } == [[1, 2], [2, 4], [4, 5], [5, 0]])
        // By hand: Sxy = -3, Sxx = 10, so slope -0.3 and foot 2.75 + 0.9.
        #expect(drawing.rows[0].trend.map { ($0.y * 1_000).rounded() } == [3_350, 2_150])
        let strict = try Self.drawings(
            #"{"title":"T","chartType":3,"dataType":3,"fitToShowLinearProgression":50,"axisContainer":[\#(Self.axis("mood", x: "calm"))]}"#
        )
        #expect(strict[0].rows[0].trend.isEmpty)
    }

    @Test func whatIsHiddenUntilTheEndIsHiddenUntilTheEnd() throws {
        let chart = #"{"title":"T","hideUntilCompletion":true,"axisContainer":[\#(Self.axis("mood"))]}"#
        #expect(try Self.drawings(chart).first?.remark == "visible when the study is finished")
        #expect(try Self.drawings(chart, isOver: true).first?.rows.first?.points.count == 3)
        #expect(try Self.drawings(#"{"title":"T","hideOnClient":true,"axisContainer":[]}"#).isEmpty)
        #expect(try Self.drawings(#"{"title":"T","showOnlyGroup":2,"axisContainer":[]}"#).isEmpty)
    }

    /// The recorded answer: one mood of 3 on 21 November 2026.
    @Test(.enabled(if: Fixture.isThere)) func whatOthersAnsweredIsReadAsTheServerWritesIt() throws {
        let bytes = try #require(FileBytes.read(Fixture.path("esmira/recorded/statistics.response.json")))
        let text = String(decoding: bytes, as: UTF8.self)
        let shared = #"{"title":"All","axisContainer":[\#(Self.axis("mood"))]}"#
        let own =
            #"{"title":"Own","displayPublicVariable":true,"axisContainer":[\#(Self.axis("mood"))],"publicVariables":[\#(Self.axis("mood"))]}"#
        let drawings = try Self.drawings(own, shared: shared, others: text)
        #expect(drawings.map(\.title) == ["Own", "All"])
        #expect(drawings[0].rows.map(\.isPublic) == [true, false])
        let all = drawings[1].rows[0].points
        #expect(all.map(\.y) == [3] && all.map(\.label) == ["2026-11-21"])
        #expect(drawings[0].rows[0].points.map(\.y) == [0, 0, 0], "it lies after the participant's days")
        #expect(try Self.drawings(own, shared: shared).allSatisfy { $0.remark?.contains("not asked") == true })
        #expect(try Self.drawings("", shared: shared, others: "<html>").first?.rows.first?.points.isEmpty == true)
    }

    /// `addPublicData` fills the days of the participant's own figures; without any the app has today alone
    /// (`ChartBuilder.kt:337`, ESMira-apps f750e58). 2, 4 and 6 March 2026, and nothing of `calm`.
    @Test func whatOthersAnsweredIsDrawnOnTheParticipantsOwnDays() throws {
        func day(_ midnight: Int, _ sum: Int) -> String { #""\#(midnight)":{"sum":\#(sum),"count":2}"# }
        let days = [day(1_772_409_600, 2), day(1_772_582_400, 6), day(1_772_755_200, 10)].joined(separator: ",")
        let others =
            #"{"success":true,"serverVersion":11,"dataset":{"mood":[{"storageType":0,"data":{\#(days)}}],"calm":[{"storageType":0,"data":[]}]}}"#
        let rows = try #require(
            try Self.drawings(
                #"{"title":"T","displayPublicVariable":true,"axisContainer":[\#(Self.axis("mood"))],"publicVariables":[\#(Self.axis("mood")),\#(Self.axis("calm"))]}"#,
                others: others
            ).first
        ).rows
        #expect(rows.map(\.isPublic) == [true, true, false])
        #expect(rows.map { $0.points.map(\.y) } == [[0, 3, 0], [], [3, 0, 2.5]])
        #expect(rows[0].points.map(\.x) == rows[2].points.map(\.x))
        #expect(rows[0].points.map(\.label) == rows[2].points.map(\.label))
    }

    /// In the shape of the recorded answer, with counts that no study has.
    @Test func figuresThatAreFarTooLargeAreDrawn() throws {
        let day = #"{"sum":1,"count":9000000000000000000}"#
        let others =
            #"{"success":true,"serverVersion":11,"dataset":{"mood":[{"storageType":0,"data":{"1772532000":\#(day),"1772618400":\#(day),"\#(Int.max)":\#(day)}}],"place":[{"storageType":1,"data":{"home":\#(Int.max),"work":"\#(Int.max)","away":-9}}]}}"#
        let charts = [
            #"{"title":"A","valueType":2,"axisContainer":[\#(Self.axis("mood"))]}"#,
            #"{"title":"B","dataType":2,"valueType":2,"axisContainer":[\#(Self.axis("mood"))]}"#,
            #"{"title":"C","chartType":2,"dataType":1,"inPercent":true,"axisContainer":[\#(Self.axis("place"))]}"#,
        ].joined(separator: ",")
        let drawings = try Self.drawings("", shared: charts, others: others)
        #expect(drawings.map { $0.rows[0].points.isEmpty } == [false, false, false])
        #expect(drawings.allSatisfy { $0.rows.allSatisfy(\.isPublic) })
        #expect(try Self.drawings("", shared: charts).allSatisfy { $0.remark?.contains("not asked") == true })
        #expect(drawings[2].rows[0].points.map(\.label) == ["away", "home", "work"])
        #expect(drawings[2].rows[0].points.map(\.y) == [0, 50, 50])
    }

    /// An answer, what is sent beside it, a sum and a virtual input can be drawn.
    @Test(arguments: [
        ("mood", true), ("mood~other", true), ("sum", true), ("made", true), ("moo", false), ("moods", false),
        ("other~mood", false), ("", false),
    ])
    func aChartOfWhatIsNotAskedIsNamed(_ name: String, _ isAsked: Bool) throws {
        let study = try ESMiraSample.study(
            #"\#(ESMiraSample.pages),"sumScores":[{"name":"sum","addList":["mood"]}],"virtualInputs":["made"]"#,
            #","personalStatistics":{"charts":[{"axisContainer":[{"yAxis":{"variableName":"\#(name)"}}]}]}"#)
        let named = study.remarks.filter { $0.kind == .unsupported }.map(\.path)
        #expect(named == (isAsked ? [] : ["$.personalStatistics.charts[0].axisContainer[0]"]))
    }

    @Test(arguments: [
        ("#00ff7F", true), ("#ABCDEF", true), ("#fff", false), ("#ff000", false), ("#ff00001", false),
        ("#gg0000", false), ("ff0000", false), ("#", false), ("", false), ("#\u{FF10}\u{FF10}0000", false),
    ])
    func aColourHasSixHexadecimalDigits(_ color: String, _ isOne: Bool) throws {
        let axis = Self.axis("mood", more: #","color":"\#(color)""#)
        let drawing = try #require(try Self.drawings(#"{"title":"T","axisContainer":[\#(axis)]}"#).first)
        #expect(drawing.rows.map(\.color) == [isOne ? color : "#00bbff"])
    }

    /// A range is drawn up to the 10,001st number; what has seven digits is no number of one.
    @Test(arguments: [
        ("5", "7", 3, "7"), ("5", "10005", 10_001, "10005"), ("5", "10006", 10_001, "10005"),
        ("-3", "999999", 10_001, "9997"), ("7", "1000000", 1, "7"), ("-1000000", "7", 1, "7"),
        // `xMax` is at first `Float.MIN_VALUE`, the least number above 0 (`ChartBuilder.kt`, ESMira-apps f750e58).
        ("-3", "-2", 4, "0"), ("-5", "-5", 6, "0"), ("-20000", "-3", 10_001, "-10000"),
    ])
    func aRangeOfNumbersHasAnEnd(_ least: String, _ most: String, _ count: Int, _ last: String) throws {
        let others =
            #"{"success":true,"serverVersion":11,"dataset":{"mood":[{"storageType":1,"data":{"\#(least)":1,"\#(most)":1}}]}}"#
        let chart =
            #"{"title":"T","chartType":2,"dataType":1,"xAxisIsNumberRange":true,"axisContainer":[\#(Self.axis("mood"))]}"#
        let drawing = try #require(try Self.drawings("", shared: chart, others: others).first)
        let labels = drawing.rows[0].points.map(\.label)
        #expect(labels.count == count && labels.last == last)
    }

    @Test func ofNothingEveryShareIsNone() throws {
        let others =
            #"{"success":true,"serverVersion":11,"dataset":{"place":[{"storageType":1,"data":{"home":0,"work":0}}]}}"#
        let chart =
            #"{"title":"T","chartType":2,"dataType":1,"inPercent":true,"axisContainer":[\#(Self.axis("place"))]}"#
        let drawing = try #require(try Self.drawings("", shared: chart, others: others).first)
        #expect(drawing.rows[0].points.map(\.label) == ["home", "work"])
        #expect(drawing.rows[0].points.map(\.y) == [0, 0])
    }

    /// Nothing of the study but a colour gets into a drawing as a colour.
    @Test func aColourIsAColour() throws {
        let more = ##","color":"red\"/><script>","useThreshold":true,"threshold":4,"thresholdColor":"#ff0000""##
        let row = try #require(
            try Self.drawings(#"{"title":"T","axisContainer":[\#(Self.axis("mood", more: more))]}"#).first?.rows.first)
        #expect(row.color == "#00bbff")
        #expect(row.points.map(\.color) == [nil, nil, nil])
        let low = try Self.drawings(
            #"{"title":"T","axisContainer":[\#(Self.axis("mood", more: more.replacing(":4,", with: ":2.5,")))]}"#)
        #expect(low.first?.rows.first?.points.map(\.color) == ["#ff0000", nil, "#ff0000"])
    }
}
