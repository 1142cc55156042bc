// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

@Suite struct ClockStatusTests {
    private static func status(
        _ source: ClockAnchor.Source, _ uncertainty: Duration, carried: Duration = .zero, note: String? = nil
    ) -> ClockStatus {
        var opinion = ClockTrust.Opinion(source: source, uncertainty: uncertainty)
        opinion.carried = carried
        opinion.note = note
        return ClockStatus(trust: ClockTrust(opinion: { [opinion] in opinion }), bound: .seconds(300))
    }

    private static let time = ZonedText(.epoch, in: .utc)

    @Test func peopleReadWhoHowWellAndSinceWhen() {
        #expect(Self.status(.kernel, .milliseconds(205)).line == "kernel, up to 205 ms off")
        #expect(
            Self.status(.kernel, .milliseconds(5200), carried: .seconds(50_580)).line
                == "kernel, free-running for 14h3m, up to 5.2 s off (drift up to 100 ppm)")
        #expect(
            Self.status(.kernel, .seconds(310), carried: .seconds(3_100_000)).line.hasSuffix(
                ": more than 5m, so prompts are paused"))
        #expect(Self.status(.vouched, .seconds(60)).line == "trust_system, up to 60 s off")
        #expect(Self.status(.unknown, .zero).line.contains("prompts are paused"))
    }

    /// A clock is as good as its source for five minutes after it was heard.
    @Test(arguments: [(0, nil), (300, nil), (301, "5m1s")] as [(Int64, String?)])
    func freeRunningIsNamedFromFiveMinutesOn(carried: Int64, shown: String?) {
        let line = Self.status(.kernel, .milliseconds(205), carried: .seconds(carried)).line
        #expect(
            line
                == (shown.map { "kernel, free-running for \($0), up to 205 ms off (drift up to 100 ppm)" }
                    ?? "kernel, up to 205 ms off"))
    }

    /// Prompts come at the bound itself, and where the person who set the clock answers for it.
    @Test(
        arguments: [
            (.kernel, 300_000, true), (.kernel, 300_001, false), (.gps, 300_001, false), (.vouched, 300_001, true),
            (.unknown, 0, false),
        ] as [(ClockAnchor.Source, Int64, Bool)])
    func promptsComeUpToTheBound(source: ClockAnchor.Source, milliseconds: Int64, come: Bool) {
        let status = Self.status(source, .milliseconds(milliseconds))
        #expect(status.line.contains("prompts are paused") == !come)
        #expect(status.json(at: Self.time).text.contains("\"prompts\":\(come)"))
    }

    @Test func programsReadTheSame() {
        let json = Self.status(.kernel, .seconds(310), carried: .seconds(3_100_000), note: "odd")
            .json(at: Self.time).text
        for part in [
            "\"time\":\"1970-01-01T00:00:00+00:00\"", "\"source\":\"kernel\"", "\"uncertainty\":310",
            "\"carried\":3100000", "\"prompts\":false", "\"note\":\"odd\"",
        ] {
            #expect(json.contains(part), "\(part) in \(json)")
        }
    }
}
