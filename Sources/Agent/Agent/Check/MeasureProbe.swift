// SPDX-License-Identifier: Apache-2.0
import Base

/// Reports each measure of the configuration that the board cannot make, in the words of `enroll` and `run`.
/// Opens no device; a measure that the board can make is tested with its chip.
struct MeasureProbe: CheckProbe {
    private let findings: [CheckFinding]

    init(_ setting: CheckSetting) {
        let alone = setting.measures.map { ($0, MeasuringFit([$0], on: setting.board)) }
        var findings = alone.flatMap { measure, fit in Self.findings(measure.channel.rawValue, fit) }
        // Problems that no measure has alone, such as two rates for one chip.
        let known = Set(alone.flatMap(\.1.problems).map(\.message))
        for problem in MeasuringFit(setting.measures, on: setting.board).problems
        where !known.contains(problem.message) {
            let subject = CheckSubject(.measure, setting.measures.map(\.channel.rawValue).joined(separator: ", "))
            findings.append(Self.finding(subject, problem))
        }
        self.findings = findings
    }

    /// The problem's own remedy, where it has one, says it better.
    private static func finding(_ subject: CheckSubject, _ problem: ConfigError) -> CheckFinding {
        CheckFinding(subject, failure: Explanation(cause: problem.cause, remedy: problem.remedy), remedy: remedy)
    }

    private static let remedy = "remove its [[measure]] from studyd.toml, or add optional = true to it"

    private static func findings(_ channel: String, _ fit: MeasuringFit) -> [CheckFinding] {
        let subject = CheckSubject(.measure, channel)
        let failures = fit.problems.prefix(1).map { finding(subject, $0) }
        return failures
            + fit.remarks.map { CheckFinding(subject, .warning, $0, remedy: "nothing, if this is intended") }
    }

    var subjects: [CheckSubject] { findings.map(\.subject) }
    func run(_ report: (CheckFinding) -> Void) { findings.forEach(report) }
}
