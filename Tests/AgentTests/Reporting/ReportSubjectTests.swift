// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct ReportSubjectTests {
    private static func state(_ id: String, isLeft: Bool) throws -> EnrolmentState {
        var record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "s", fileDigest: try Digest(of: []))
        record.id = id
        return EnrolmentState(
            record: record, arePromptsOn: true, withdrawn: isLeft ? record.instant + .seconds(60) : nil)
    }

    /// What the lab has heard of, and which enrolment outcomes are left of that it has not.
    struct Heard: Sendable {
        var announced: String?
        var ended: String?
        var unreported: String?
    }

    /// Enrolments oldest first, those that were left with a minus; nil where nothing is to be reported.
    @Test(
        arguments: [
            ([], .init(), nil), (["a"], .init(), "a enrolment"), (["a"], .init(unreported: "a"), "a enrolment"),
            (["a"], .init(announced: "a"), "a hour"), (["a"], .init(announced: "a", unreported: "a"), "a hour"),
            // Of another log.
            (["a"], .init(announced: "x"), "a enrolment"), (["a"], .init(unreported: "x"), "a enrolment"),
            (["a-"], .init(), "a end"), (["a-"], .init(announced: "a"), "a end"),
            (["a-"], .init(announced: "a", ended: "a"), nil),
            (["a-"], .init(announced: "a", ended: "a", unreported: "a"), "a end"),
            (["a-", "b"], .init(announced: "a"), "a end"),
            (["a-", "b"], .init(announced: "a", ended: "a"), "b enrolment"),
            (["a-", "b"], .init(announced: "a", ended: "a", unreported: "a"), "a end"),
            (["a-", "b"], .init(announced: "b", ended: "a"), "b hour"),
            (["a-", "b"], .init(announced: "b", ended: "a", unreported: "b"), "b hour"),
            (["a-", "b"], .init(unreported: "a"), "a end"), (["a-", "b"], .init(), "b enrolment"),
            (["a-", "b-"], .init(announced: "b", ended: "a"), "b end"),
            (["a-", "b-"], .init(announced: "b", ended: "b"), nil),
            // One that another has followed is over, whatever is known of its end.
            (["a", "b"], .init(announced: "a"), "a end"),
            (["a", "b"], .init(announced: "a", ended: "a"), "b enrolment"),
        ] as [([String], Heard, String?)])
    func theEndAndWhatIsNotToldOfOneComeBeforeTheNext(enrolments: [String], heard: Heard, expected: String?) throws {
        var memory = ReportMemory()
        (memory.announced, memory.ended) = (heard.announced, heard.ended)
        let states = try enrolments.map { try Self.state(String($0.prefix(1)), isLeft: $0.hasSuffix("-")) }
        for isChange in [false, true] {
            let subject = ReportSubject(states, unreported: heard.unreported, memory: memory, isChange: isChange)
            let words = subject.map { "\($0.record.id) \($0.reason.rawValue)" }
            #expect(words == (isChange ? expected?.replacing("hour", with: "change") : expected))
            #expect(subject.map(\.isOver) == expected.map { $0.hasSuffix("end") })
        }
    }
}
