// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct StudyRulesReaderTests {
    private static func problems(_ text: String, extreme: Bool = false, sensors: RuleSensors = RuleSample.sensors)
        -> [String]
    {
        do {
            _ = try RuleSample.read(text, sensors: sensors, extreme: extreme)
            return []
        } catch let error as StudyRulesError {
            return error.problems.map { "\($0.line) \($0.path): \($0.cause)" }
        } catch { return ["\(error)"] }
    }

    /// Under the feature move, which has five lines and one without; the rule's lines begin at 8.
    static func rule(_ lines: String, task: String = "a") -> String {
        RuleSample.move + "[rule.r]\ntask = \"\(task)\"\n\(lines)\n"
    }

    @Test func theExampleOfThePageReads() throws {
        let rules = try RuleSample.read(
            """
            [feature.move]
            from = "accelerometer"
            is = "agcounts"
            epoch = "60s"
            window = "30m"
            reduce = "sum-vm"
            needs = 0.8
            [rule.walk]
            task = "a"
            when = "move < 3000 for 40m"
            rearm = "30m"
            available = ["worn", "no run open", "prompts on", "clock trusted", "60m since prompt"]
            probability = [{ when = "move < 500", p = 0.6 }, { p = 0.3 }]
            outcome = { feature = "move", window = "+30m" }
            quiet = ["22:00-08:00"]
            """)
        let rule = try #require(rules.rule("walk"))
        #expect(rule.needs == [.worn, .noRun, .promptsOn, .trustedClock, .sincePrompt(.seconds(3600))])
        #expect(rule.outcome == .init(feature: 0, window: .seconds(1800)))
        #expect(rules.features.first?.column == "counts_vm")
        #expect(rule.quiet.active() == 14 * 3_600_000)
    }

    static let mistakes: [(String, String?)] = [
        ("every = \"1h\"\nprobability = 0.5", nil),
        (
            "every = \"1h\"\nprobability = 0.04",
            "9 rule.r.probability: 0.04 lies outside 0.05 to 0.95, where one arm is too rare to be analysed"
        ),
        (
            "every = \"1h\"\nprobability = 0.96",
            "9 rule.r.probability: 0.96 lies outside 0.05 to 0.95, where one arm is too rare to be analysed"
        ),
        ("every = \"1h\"\nprobability = 0.05", nil), ("every = \"1h\"\nprobability = 0.95", nil),
        ("every = \"1h\"\nprobability = 1", "9 rule.r.probability: 1.0 is no probability between 0 and 1"),
        ("every = \"1h\"", "6 rule.r: has no probability"),
        ("every = \"7m\"\nprobability = 0.5", "8 rule.r.every: 7m does not divide 24 hours"),
        ("every = \"1m\"\nprobability = 0.5", "8 rule.r.every: is not a duration from 5m to 24h"),
        ("every = \"299s\"\nprobability = 0.5", "8 rule.r.every: is not a duration from 5m to 24h"),
        ("every = \"5m\"\nprobability = 0.5", nil), ("every = \"24h\"\nprobability = 0.5", nil),
        ("every = \"25h\"\nprobability = 0.5", "8 rule.r.every: is not a duration from 5m to 24h"),
        ("at = []\nprobability = 0.5", "8 rule.r.at: is no list of 1 to 48 times"),
        ("probability = 0.5", "6 rule.r: has none of when, every, at and event"),
        (
            "every = \"1h\"\nat = [\"10:00\"]\nprobability = 0.5",
            "9 rule.r.at: has several of when, every, at and event"
        ),
        ("when = \"moove < 5\"\nprobability = 0.5", "8 rule.r.when: there is no feature 'moove'"),
        ("when = \"move < 5mg\"\nprobability = 0.5", "8 rule.r.when: move is in 1, and '5mg' has the unit mg"),
        ("when = \"move < 0\"\nprobability = 0.5", "8 rule.r.when: can never hold: the rule can never fire"),
        (
            "when = \"move < 5 and move > 9\"\nprobability = 0.5",
            "8 rule.r.when: can never hold: the rule can never fire"
        ),
        ("when = \"move < 5 and not (move < 5 for 10m)\"\nprobability = 0.5", nil),
        (
            "when = \"move < 5\"\navailable = [\"worn\", \"move > 9\"]\nprobability = 0.5",
            "9 rule.r.available: can never hold: the rule can never fire"
        ),
        (
            "when = \"move < 5\"\navailable = [\"worm\"]\nprobability = 0.5",
            "9 rule.r.available[0]: there is no feature 'worm'"
        ),
        (
            "when = \"move < 5\"\navailable = [\"30s since prompt\"]\nprobability = 0.5",
            "9 rule.r.available[0]: '30s' is not a duration from 1m to 24h"
        ),
        (
            "at = [\"10:00\", \"23:00\"]\nquiet = [\"22:00-08:00\"]\nprobability = 0.5",
            "8 rule.r.at[1]: 23:00 is quiet: it can never fire"
        ),
        (
            "every = \"1h\"\nquiet = [\"00:00-24:00\"]\nprobability = 0.5",
            "9 rule.r.quiet: the whole day is quiet: the rule can never fire"
        ),
        (
            "every = \"1h\"\nquiet = [\"22:00-08:00\", \"8\"]\nprobability = 0.5",
            "9 rule.r.quiet[1]: '8' is no span of a day"
        ),
        (
            "every = \"1h\"\nquiet = [\"22:00--08:00\"]\nprobability = 0.5",
            "9 rule.r.quiet[0]: '22:00--08:00' is no span of a day"
        ),
        (
            "every = \"1h\"\nquiet = [\"22::00-08:00\"]\nprobability = 0.5",
            "9 rule.r.quiet[0]: '22::00-08:00' is no span of a day"
        ),
        (
            "every = \"1h\"\nquiet = [\"08:00-08:00\"]\nprobability = 0.5",
            "9 rule.r.quiet[0]: '08:00-08:00' is no span of a day"
        ),
        (
            "every = \"1h\"\nquiet = [\"24:00-08:00\"]\nprobability = 0.5",
            "9 rule.r.quiet[0]: '24:00-08:00' is no span of a day"
        ),
        ("at = [\"10:00\", \"10:00\"]\nprobability = 0.5", "8 rule.r.at[1]: 10:00 is there twice"),
        ("at = [\"24:00\"]\nprobability = 0.5", "8 rule.r.at[0]: '24:00' is no time of day"),
        ("event = \"earthquake\"\nprobability = 0.5", "8 rule.r.event: there is no event 'earthquake'"),
        ("event = \"arrival\"\nprobability = 0.5", "8 rule.r.event: 'arrival' needs a feature of visits"),
        (
            "every = \"1h\"\nprobability = [{ when = \"move < 5\", p = 0.5 }]",
            "9 rule.r.probability: says nothing where no condition holds"
        ),
        (
            "every = \"1h\"\nprobability = [{ when = \"move < 5 for 10m\", p = 0.3 }, { p = 0.5 }]",
            "9 rule.r.probability[0].when: 'for' is allowed only in 'when' of a rule"
        ),
        (
            "when = \"move < 5\"\navailable = [\"move < 5 for 10m\"]\nprobability = 0.5",
            "9 rule.r.available[0]: 'for' is allowed only in 'when' of a rule"
        ),
        (
            "every = \"1h\"\nprobability = [{ p = 0.5 }, { when = \"move < 5\", p = 0.4 }]",
            "9 rule.r.probability[0].p: always holds: the rows after it can never be reached"
        ),
        (
            "every = \"1h\"\nprobability = [{ when = \"move < 5\", p = 0.01 }, { p = 0.5 }]",
            "9 rule.r.probability[0].p: 0.01 lies outside 0.05 to 0.95, where one arm is too rare to be analysed"
        ),
        (
            "every = \"1h\"\noutcome = { feature = \"move\", window = \"30m\" }\nprobability = 0.5",
            "9 rule.r.outcome.window: '30m' is no window behind a point"
        ),
        (
            "every = \"1h\"\noutcome = { feature = \"mood\", window = \"+30m\" }\nprobability = 0.5",
            "9 rule.r.outcome.feature: there is no feature 'mood'"
        ),
        ("every = \"1h\"\nprobabilty = 0.5", "9 rule.r.probabilty: unknown key"),
        ("every = \"1h\"\nprobability = [{ p = 0.5, q = 1 }]", "9 rule.r.probability[0].q: unknown key"),
        ("every = \"1h\"\nbudget = { per_day = 12, dekay = 0.3 }", "9 rule.r.budget.dekay: unknown key"),
        (
            "every = \"1h\"\noutcome = { feature = \"move\", window = \"+3m\", of = 1 }\nprobability = 0.5",
            "9 rule.r.outcome.of: unknown key"
        ),
        ("every = \"1h\"\nprobability = 0.5\nrearm = \"5m\"", "10 rule.r.rearm: is for rules with when and event"),
    ]

    @Test(arguments: mistakes)
    func mistakesHaveTheirPathAndLine(lines: String, problem: String?) {
        let found = Self.problems(Self.rule(lines))
        #expect(problem.map(found.contains) ?? found.isEmpty, "\(found)")
    }

    @Test(arguments: ["available = [\"promts on\"]", "outcome = { feature = \"promts\", window = \"+30m\" }"])
    func withoutFeaturesTheRemedyForANameIsToAddIt(line: String) {
        let text = "[rule.r]\ntask = \"a\"\nevery = \"1h\"\n\(line)\nprobability = 0.5\n"
        let error = #expect(throws: StudyRulesError.self) {
            try RuleSample.read(text, sensors: RuleSample.sensors, extreme: false)
        }
        #expect(error?.problems.map(\.remedy) == ["add [feature.promts]"])
    }

    @Test func tasksAndFeaturesMustBeThere() {
        #expect(
            Self.problems(Self.rule("every = \"1h\"\nprobability = 0.5", task: "c")) == [
                "7 rule.r.task: the study has no task 'c'"
            ])
        #expect(
            Self.problems(
                "[feature.f]\nfrom = \"accelerometer\"\nis = \"agcount\"\n[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5"
            )
                == ["3 feature.f.is: there is no feature 'agcount'"])
        #expect(
            Self.problems(
                "[feature.f]\nfrom = \"sound\"\nis = \"enmo\"\n[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5"
            )
                == ["2 feature.f.from: enmo is not made of 'sound'"])
        #expect(
            Self.problems(
                "[feature.f]\nfrom = \"accelerometer\"\nis = \"agcounts\"\n[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5"
            )
                == ["1 feature.f.reduce: does not say which column"])
        #expect(Self.problems("x = 1\n[rule]\n") == ["1 x: unknown key", "2 rule: there is no rule"])
        #expect(Self.problems("[rule.r\n").first?.hasPrefix("1 : ") == true)
    }

    @Test(arguments: [("1m", nil), ("59s", "59s"), ("61s", "1m1s")] as [(String, String?)])
    func anEpochIsOneThatItsFeatureHas(epoch: String, refused: String?) {
        let sensors = RuleSensors(
            kinds: [.init("enmo", source: "accelerometer") { $0 == .seconds(60) ? [.init("enmo", "g")] : nil }],
            epochs: "1m")
        let text =
            "[feature.f]\nfrom = \"accelerometer\"\nis = \"enmo\"\nepoch = \"\(epoch)\"\n[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5"
        let problem = refused.map { "4 feature.f.epoch: \($0) is no length that enmo has" }
        #expect(Self.problems(text, sensors: sensors) == [problem].compactMap(\.self))
    }

    @Test func aSensorThatIsNotThereIsRefused() {
        let without = RuleSensors(
            kinds: RuleSample.sensors.kinds, epochs: "", present: ([], "use another board"), wear: "add wear")
        let text = Self.rule("every = \"1h\"\navailable = [\"worn\"]\nprobability = 0.5")
        #expect(
            Self.problems(text, sensors: without)
                == ["2 feature.move.from: nothing here gives 'accelerometer'"])
        let still = RuleSensors(
            kinds: RuleSample.sensors.kinds, epochs: "", present: (["accelerometer"], ""), wear: "add wear")
        #expect(
            Self.problems(text, sensors: still) == [
                "9 rule.r.available[0]: whether the device is worn is not known here"
            ])
    }

    @Test(
        arguments: [
            ("button", ["blue"], nil), ("button:blue", ["red", "blue"], nil), ("button:blu", nil, nil),
            (
                "button:blu", ["red", "blue"],
                "8 rule.r.event: no event marker of the board is called 'blu': the rule can never fire"
            ), ("button:blue", [], "8 rule.r.event: the board has no event marker: the rule can never fire"),
            ("button", [], "8 rule.r.event: the board has no event marker: the rule can never fire"),
        ] as [(String, [String]?, String?)])
    func aMarkerThatIsNotThereIsRefused(event: String, markers: [String]?, problem: String?) {
        let sensors = RuleSensors(kinds: RuleSample.sensors.kinds, epochs: "", markers: markers)
        let found = Self.problems(Self.rule("event = \"\(event)\"\nprobability = 0.5"), sensors: sensors)
        #expect(found == (problem.map { [$0] } ?? []))
    }

    @Test func extremesAreAllowedWhereTheyAreMeant() {
        let text = Self.rule("every = \"1h\"\nprobability = 0.01")
        #expect(Self.problems(text, extreme: true).isEmpty)
        #expect(!Self.problems(Self.rule("every = \"1h\"\nprobability = 0"), extreme: true).isEmpty)
    }

    @Test(arguments: [
        ("at = [\"10:00\"]", "at = [\"10:00\", \"11:00\"]", true), ("at = [\"10:00\"]", "at = [\"11:00\"]", false),
        ("every = \"1h\"", "every = \"2h\"", true), ("every = \"15m\"", "at = [\"10:15\"]", true),
        ("every = \"15m\"", "at = [\"10:10\"]", false), ("every = \"24m\"", "at = [\"10:12\"]", true),
        ("at = [\"10:12\"]", "every = \"24m\"", true), ("every = \"24m\"", "at = [\"10:13\"]", false),
        ("every = \"1h\"", "at = [\"10:45\"]", true), ("event = \"button\"", "at = [\"10:00\"]", false),
    ])
    func twoRulesForOneTaskMayNotMeet(one: String, other: String, meets: Bool) {
        func both(_ task: String) -> [String] {
            Self.problems(
                "[rule.p]\ntask = \"a\"\n\(one)\nprobability = 0.5\n[rule.q]\ntask = \"\(task)\"\n\(other)\nprobability = 0.5"
            )
        }
        #expect(both("a").contains { $0.hasPrefix("7 rule.q.") } == meets)
        #expect(both("b").isEmpty, "another task is prompted for beside it")
    }

    /// Sense2Stop asked for 1.5 a day; 80 points at its least probability of 0.05 are 4.
    @Test func aBudgetThatCannotBeKeptIsRefused() {
        func problems(_ rearm: String, _ perDay: String) -> [String] {
            Self.problems(
                Self.rule(
                    "when = \"move < 5\"\nrearm = \"\(rearm)\"\nquiet = [\"22:00-08:00\"]\nbudget = { per_day = \(perDay), decay = 0.3 }"
                ))
        }
        #expect(problems("30m", "1.5").isEmpty)
        #expect(
            problems("10m", "1.5")
                == ["11 rule.r.budget.per_day: cannot be kept: 85 points a day at 0.05 are 4.25, and 1.5 are asked for"]
        )
        #expect(
            problems("24h", "1.5") == ["11 rule.r.budget.per_day: cannot be reached: 1 points a day at 0.95 are 0.95"])
    }

    private static let plain = "[rule.r]\ntask = \"a\"\nevery = \"1h\"\nprobability = 0.5\n"

    @Test(
        arguments: [
            ("feature = 3\n" + plain, ["1 feature: is no table"]),
            ("rule = 3", ["1 rule: is no table", "1 rule: there is no rule"]),
            ("days = 0\n" + plain, ["1 days: is no whole number from 1 to 3650"]), ("days = 1\n" + plain, []),
            ("days = 3650\n" + plain, []), ("days = 3651\n" + plain, ["1 days: is no whole number from 1 to 3650"]),
            ("days = 1.5\n" + plain, ["1 days: is no whole number from 1 to 3650"]),
        ] as [(String, [String])])
    func whatStandsAboveTheTablesHasItsKind(text: String, problems: [String]) {
        #expect(Self.problems(text) == problems)
    }

    /// Which share of a window must have been measured.
    @Test(arguments: [
        ("0", false), ("0.01", true), ("1", true), ("1.0", true), ("1.01", false), ("-0.5", false), ("nan", false),
        ("\"most\"", false),
    ])
    func aFeatureNeedsAShareAboveNothingAndUpToAll(needs: String, isTaken: Bool) {
        let found = Self.problems(RuleSample.move + "needs = \(needs)\n" + Self.plain)
        #expect(found == (isTaken ? [] : ["6 feature.move.needs: is no share above 0 and up to 1"]))
    }

    /// An angle to the horizontal has at most 90 degrees, and what is not counted as less than nothing is none
    /// below it; a level in dB may be.
    @Test(arguments: [
        ("tilt == 90deg", true), ("tilt > 90deg", false), ("tilt == -90deg", true), ("tilt < -90deg", false),
        ("level == 200dB", true), ("level > 200dB", false), ("level == -20dB", true), ("level < -20dB", false),
        ("level > 199.5dB", true), ("place == 1", true), ("place > 1", false), ("place < 0", false),
        ("still >= 0g", true), ("still < 0g", false),
    ])
    func aConditionBeyondWhatItsColumnCanBeIsRefused(condition: String, canHold: Bool) {
        let sensors = RuleSensors(
            kinds: RuleSample.sensors.kinds + [.init("levels", source: "sound") { _ in [.init("laeq", "dB")] }],
            epochs: "")
        let features = [
            ("tilt", "accelerometer", "anglez", ""), ("still", "accelerometer", "enmo", ""),
            ("level", "sound", "levels", ""), ("place", "position", "visits", "reduce = \"last-visit\"\n"),
        ]
        let tables = features.map { "[feature.\($0.0)]\nfrom = \"\($0.1)\"\nis = \"\($0.2)\"\n\($0.3)" }.joined()
        let rule = "[rule.r]\ntask = \"a\"\nwhen = \"\(condition)\"\nprobability = 0.5\n"
        let found = Self.problems(tables + rule, sensors: sensors)
        #expect(
            found.map { $0.hasSuffix("can never hold: the rule can never fire") } == (canHold ? [] : [true]), "\(found)"
        )
    }

    /// docs/rules.md: a lower-case letter, then up to 31 lower-case letters, digits or `_`; of a rule also `-`.
    @Test(
        arguments: [
            ("a", true, true), ("z9_", true, true), (String(repeating: "a", count: 32), true, true),
            (String(repeating: "a", count: 33), false, false), ("walk-2", false, true), ("9a", false, false),
            ("_a", false, false), ("-a", false, false), ("Walk", false, false), ("wAlk", false, false),
            ("w\u{E4}lk", false, false), ("a b", false, false), ("a.b", false, false), ("", false, false),
            // The bytes beside those of letters and digits.
            ("a`", false, false), ("a{", false, false), ("a/", false, false), ("a:", false, false),
        ] as [(String, Bool, Bool)])
    func aNameIsALetterAndWhatMayFollow(name: String, ofFeature: Bool, ofRule: Bool) {
        let feature = Self.problems(
            "[feature.\"\(name)\"]\nfrom = \"accelerometer\"\nis = \"enmo\"\n" + Self.plain)
        #expect(feature.map { $0.hasSuffix(": is no name") } == (ofFeature ? [] : [true]), "\(feature)")
        let rule = Self.problems(
            Self.plain + "[rule.\"\(name)\"]\ntask = \"b\"\nevery = \"1h\"\nprobability = 0.5\n")
        #expect(rule.map { $0.hasSuffix(": is no name") } == (ofRule ? [] : [true]), "\(rule)")
    }

    @Test(
        arguments: [
            (16, 32, []), (17, 1, ["feature: there are more than 16"]), (1, 33, ["rule: there are more than 32"]),
        ] as [(Int, Int, [String])])
    func thereAreSixteenFeaturesAndThirtyTwoRulesAtMost(features: Int, rules: Int, problems: [String]) {
        let all =
            (0..<features).map { "[feature.f\($0)]\nfrom = \"accelerometer\"\nis = \"enmo\"\n" }
            + (0..<rules).map { "[rule.r\($0)]\ntask = \"a\"\nevent = \"button\"\nprobability = 0.5\n" }
        // Without the line.
        #expect(Self.problems(all.joined()).map { String($0.drop { $0 != " " }.dropFirst()) } == problems)
    }
}
