// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformMyStudies

/// What the command line may choose for a plan, or give it.
@Suite struct MyStudiesOptionsTests {
    private static let variables = [
        MyStudiesAnchors.variable(property: "Birth"), MyStudiesAnchors.variable(activity: "A", key: "day"),
    ]

    private static func arguments(_ option: String, _ values: [String]) -> PlatformArguments {
        var arguments = PlatformArguments()
        for value in values { arguments.add(option, value) }
        return arguments
    }

    /// The dates of a study whose schedules count from these variables.
    private static func anchors(_ values: [String], _ variables: [String] = variables) throws -> [String: AnswerValue] {
        var study = StudyProtocol(
            platform: .mystudies, studyID: "S", texts: StudyTexts(), conditions: [], tasks: [], postURL: nil,
            writer: MyStudiesWire())
        var dates = AnchorDates()
        dates.server = variables.map { ServerVariable(variable: $0, table: "t", column: "c") }
        study.anchors = dates
        return try MyStudiesOptions.anchors(arguments("anchor", values), of: study)
    }

    /// `PROPERTY=DATE` or `ACTIVITY/QUESTION=DATE`; of two for one name the last counts.
    @Test func aDateIsThatOfTheScheduleItNames() throws {
        func midnight(_ day: String) throws -> AnswerValue {
            .dateTime(LocalDateTime(try LocalDate(parsing: day), .midnight))
        }
        #expect(try Self.anchors([]).isEmpty)
        let given = try Self.anchors(["Birth=2026-03-01", "A/day=2024-02-29", "Birth=2026-03-02"])
        let expected = [Self.variables[0]: try midnight("2026-03-02"), Self.variables[1]: try midnight("2024-02-29")]
        #expect(given == expected)
    }

    @Test(arguments: [
        ("Birth", "not a name with a date"), ("Birth=", "not a name with a date"),
        ("=2026-03-01", "not a name with a date"), ("Birth=2026-02-29", "not a name with a date"),
        ("Birth=2026-03-01T10:00", "not a name with a date"), ("irth=2026-03-01", "no schedule uses it"),
        ("B/day=2026-03-01", "no schedule uses it"),
    ])
    func aDateOfNothingIsRefused(_ text: String, _ cause: String) {
        let error = #expect(throws: PlatformArgumentError.self) { try Self.anchors([text]) }
        #expect(error?.explanation.cause == cause)
    }

    @Test(
        arguments: [(variables, "this study has Birth, A/day"), ([], "this study has none")] as [([String], String)])
    func theNamesThatThereAreAreSaid(_ variables: [String], _ remedy: String) {
        let error = #expect(throws: PlatformArgumentError.self) { try Self.anchors(["X=2026-03-01"], variables) }
        #expect(error?.explanation.remedy == remedy)
    }

    @Test(
        arguments: [
            ("policy", "ios", .ios, false), ("policy", "android", .android, false), ("compare", "true", .ios, false),
            ("compare", "app", .ios, true), ("other", "x", .ios, false),
        ] as [(String, String, StudyOptions.Policy, Bool)])
    func aChoiceIsThePlansOption(
        _ option: String, _ value: String, _ policy: StudyOptions.Policy, _ comparesLikeTheApp: Bool
    ) throws {
        let options = try MyStudiesOptions.choices(Self.arguments(option, [value]), nil)
        #expect(options.policy == policy && options.comparesLikeTheApp == comparesLikeTheApp)
    }
}
