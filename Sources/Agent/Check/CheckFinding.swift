// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What `studyd check` tests; the raw value is the `part` of its output.
public enum CheckPart: String, Sendable, CaseIterable {
    case agent, measure, bus, chip, button, light, buzzer, vibration, loudspeaker, microphone, position, clock, disk,
        server
}

/// One thing that is tested: `chip LIS3DH 0x18`.
public struct CheckSubject: Sendable, Hashable {
    /// What kind of thing it is.
    public let part: CheckPart
    /// Which of them: the name in the board file, or what tells it apart.
    public let name: String

    /// The thing of that name.
    public init(_ part: CheckPart, _ name: String) {
        self.part = part
        self.name = name
    }
}

/// What became of testing one thing.
public struct CheckFinding: Sendable, Hashable {
    /// The raw value is the `result` of the output.
    public enum Result: String, Sendable, CaseIterable {
        /// It does what it should.
        case ok
        /// It works, but somebody should look at it.
        case warning
        /// It does not work.
        case failed
        /// It was not tested; the detail says why.
        case skipped
    }

    /// What was tested.
    public let subject: CheckSubject
    /// What it came to.
    public let result: Result
    /// What was seen, with numbers, or the cause.
    public let detail: String
    /// What to do about it; nil where nothing is to be done.
    public let remedy: String?

    /// A finding on that subject.
    public init(_ subject: CheckSubject, _ result: Result, _ detail: String, remedy: String? = nil) {
        self.subject = subject
        self.result = result
        self.detail = detail
        self.remedy = remedy
    }

    /// A failure in an error's own words, which say what is wrong up to the first semicolon and what to do after it.
    /// `remedy` is what helps with parts of this kind.
    public init(_ subject: CheckSubject, failure: any Error, remedy: String) {
        let text = ((failure as? ConfigError)?.message ?? "\(failure)").replacing(PartOpener.advice, with: "")
        let cut = text.firstRange(of: "; ")
        let own = cut.map { String(text[$0.upperBound...]) }
        // What an opener says is general; what a chip or a server says is not.
        let advice = failure is ConfigError ? [own, remedy].compactMap(\.self).joined(separator: "; ") : own ?? remedy
        self.init(
            subject, .failed, cut.map { String(text[..<$0.lowerBound]) } ?? text,
            remedy: advice.replacing("?; ", with: "? ").replacing("?. ", with: "? "))
    }

    /// One object of `--json`.
    public var json: JSONText {
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
    public var isPassed: Bool { !contains { $0.result == .failed } }

    /// `12 ok, 1 warning, 1 failed`, without what there is none of.
    public var summary: String {
        let counts = CheckFinding.Result.allCases.map { result in (result, count { $0.result == result }) }
        return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", ")
    }
}
