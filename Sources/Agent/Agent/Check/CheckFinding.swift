// SPDX-License-Identifier: Apache-2.0
import Base

/// The result of testing one thing: a line of `studyd check`.
package struct CheckFinding: Sendable, Hashable {
    /// The raw value is the `result` of the output.
    package enum Result: String, Sendable, CaseIterable {
        case ok
        case warning
        case failed
        /// It was not tested; the detail says why.
        case skipped
    }

    package let subject: CheckSubject
    package let result: Result
    /// What was seen, with numbers, or the cause.
    package let detail: String
    /// What to do about it; nil where nothing has to be done.
    package let remedy: String?

    package init(_ subject: CheckSubject, _ result: Result, _ detail: String, remedy: String? = nil) {
        (self.subject, self.result, self.detail, self.remedy) = (subject, result, detail, remedy)
    }

    /// A failure in an error's own words. `remedy` is what helps with parts of this kind. It is used where the
    /// error has no remedy, and added to that of a `ConfigError`, which may be one of several.
    package init(_ subject: CheckSubject, failure: any Error, remedy: String) {
        if let error = failure as? ConfigError {
            self.init(subject, failure: Explanation(cause: error.cause, remedy: error.remedy), also: remedy)
        } else {
            let own = Explanation(failure)
            self.init(subject, failure: own, also: own.remedy == nil ? remedy : nil)
        }
    }

    /// What `test` finds; a failure where it throws.
    init(_ subject: CheckSubject, remedy: String, _ test: () throws -> CheckFinding) {
        do { self = try test() } catch { self.init(subject, failure: error, remedy: remedy) }
    }

    /// A failure that is explained already. `remedy` is used where the explanation has none.
    package init(_ subject: CheckSubject, failure: Explanation, remedy: String) {
        self.init(subject, failure: failure, also: failure.remedy == nil ? remedy : nil)
    }

    private init(_ subject: CheckSubject, failure: Explanation, also remedy: String?) {
        // Remedies are joined by "; ", which looks wrong after a question.
        let advice = Explanation.remedies(failure.remedy, remedy) ?? ""
        self.init(
            subject, .failed, failure.finding,
            remedy: advice.replacing("?; ", with: "? ").replacing("?. ", with: "? "))
    }

    /// One object of `--json`.
    package var json: JSONText {
        let members: [JSONText.Member] = [
            .init("part", .string(subject.part.rawValue)), .init("name", .string(subject.name)),
            .init("result", .string(result.rawValue)), .init("detail", .string(detail)),
            .init("remedy", remedy.map { .string($0) } ?? .null),
        ]
        return .object(members)
    }
}

extension [CheckFinding] {
    /// True when nothing failed; warnings are allowed.
    package var isPassed: Bool { !contains { $0.result == .failed } }

    /// `12 ok, 1 warning, 1 failed`, without what there is none of.
    package var summary: String {
        let counts = CheckFinding.Result.allCases.map { result in (result, count { $0.result == result }) }
        return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", ")
    }
}
