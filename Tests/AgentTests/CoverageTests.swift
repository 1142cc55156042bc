// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// The same cases as on the lab's page: one definition for both.
@Suite struct CoverageTests {
    private let day = Instant(seconds: 1_780_000_000)

    private func view(
        _ from: Int, _ to: Int, stored: Int64 = 100, lost: [String: Int64] = [:], enrolment: String = "e",
        isExtra: Bool? = nil
    ) -> RecordingView {
        let record = RecordingRecord(
            id: "\(from)", itemClass: .motion, measure: "accelerometer", path: "", descriptionPath: "", sha256: "",
            bytes: 0, start: nil,
            end: nil, stored: stored, lost: lost, boot: "b", from: .zero + .seconds(from * 60),
            to: .zero + .seconds(to * 60), rate: 100,
            isExtra: isExtra)
        return RecordingView(recording: record, enrolment: enrolment, sealed: day, removed: nil, isDelivered: false)
    }

    private func coverage(_ views: [RecordingView], now: Int) -> Coverage? {
        Coverage(since: day, at: day + .seconds(now * 60), views, of: "e", [])
    }

    @Test func aDeviceThatWasOffIsNotCovered() throws {
        let found = try #require(coverage([view(0, 30), view(67, 100)], now: 100))
        #expect(found.channels.map(\.stored) == [.seconds(63 * 60)])
        #expect(found.channels.map(\.missing) == [["notRecorded": .seconds(37 * 60)]])
        #expect(found.lines == ["coverage    accelerometer: 63 % of the time since enrolment (not recorded 37 %)"])
    }

    @Test func eachRestHasItsReasonAndTogetherTheyAreTheWallTime() throws {
        let views = [
            view(10, 50, stored: 75, lost: ["ringFull": 25]), view(60, 80), view(0, 90, isExtra: true),
            view(0, 90, enrolment: "before"),
        ]
        let channel = try #require(coverage(views, now: 80)?.channels.first)
        #expect(channel.stored == .seconds(50 * 60))
        #expect(channel.missing == ["ringFull": .seconds(600), "notRecorded": .seconds(1200)])
    }

    /// The sensor was silent for five hours: the file ended, and tells of what is missing behind it.
    @Test func aGapThatEndedARecordingTakesNothingOffItsLength() throws {
        let views = [view(0, 60, stored: 360_000, lost: ["deviceError": 1_800_000]), view(360, 370, stored: 60_000)]
        let channel = try #require(coverage(views, now: 370)?.channels.first)
        #expect(channel.stored == .seconds(70 * 60) && channel.missing == ["notRecorded": .seconds(300 * 60)])
    }

    @Test func beforeTheEnrolmentThereIsNone() { #expect(coverage([], now: 0) == nil && coverage([], now: -1) == nil) }

    @Test(arguments: [(0, "0 %"), (1, "< 1 %"), (667, "67 %"), (994, "99 %"), (999, "> 99 %"), (1000, "100 %")])
    func sharesAreRoundedButNeverToAllOrNothing(part: Int, text: String) {
        #expect(Coverage.percent(.seconds(part), of: .seconds(1000)) == text)
    }
}
