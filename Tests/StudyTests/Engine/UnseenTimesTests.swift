// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Why something was not presented that fell due ten minutes after the start.
@Suite struct UnseenTimesTests {
    private static func entry(
        isHidden: Bool = false, following: Instant? = nil, expires: Instant? = nil
    ) -> ScheduledEntry {
        let due = Sample.after(10)
        return ScheduledEntry(
            Occurrence(
                id: "a/1", task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(due), due: due, expires: expires,
                isHidden: isHidden),
            of: nil, following: following)
    }

    private static func reason(
        _ times: UnseenTimes, _ entry: ScheduledEntry = Self.entry(), enrolled: Instant? = nil
    ) -> MissReason { times.reason(for: entry, enrolled: enrolled, at: Sample.after(99)) }

    @Test(
        arguments: [(nil, .deviceOff), (9, .deviceOff), (10, .deviceOff), (11, .beforeEnrolment)]
            as [(Int?, MissReason)])
    func whatFellDueBeforeTheParticipantJoinedIsMissedForThat(enrolled: Int?, reason: MissReason) {
        let times = UnseenTimes(PromptSwitches())
        #expect(Self.reason(times, enrolled: enrolled.map(Sample.after)) == reason)
    }

    /// Spans of minutes in which the device was off; the end of one is not in it.
    @Test(arguments: [
        (5, 10, MissReason.clockUnknown), (5, 11, .deviceOff), (10, 11, .deviceOff), (11, 20, .clockUnknown),
    ])
    func onceTheStartIsDealtWithItWasOffOnlyWithinASpan(from: Int, to: Int, reason: MissReason) {
        var times = UnseenTimes(PromptSwitches())
        times.endStart()
        times.addOff(Sample.after(from)..<Sample.after(to))
        #expect(Self.reason(times) == reason)
    }

    /// Its time is over with the twentieth minute.
    @Test(arguments: [(19, MissReason.deviceOff), (20, .beforeEnrolment)])
    func whatWasStillOpenAsTheParticipantJoinedIsMissedForAnotherReason(enrolled: Int, reason: MissReason) {
        let entry = Self.entry(expires: Sample.after(20))
        #expect(Self.reason(UnseenTimes(PromptSwitches()), entry, enrolled: Sample.after(enrolled)) == reason)
    }

    /// It fell due before the device went off, and its time was over with the twentieth minute.
    @Test(arguments: [
        (11, 19, MissReason.clockUnknown), (11, 20, .deviceOff), (19, 30, .deviceOff), (20, 30, .clockUnknown),
    ])
    func whatRanOutWhileTheDeviceWasOffIsMissedForThat(from: Int, to: Int, reason: MissReason) {
        var times = UnseenTimes(PromptSwitches())
        times.endStart()
        times.addOff(Sample.after(from)..<Sample.after(to))
        #expect(Self.reason(times, Self.entry(expires: Sample.after(20))) == reason)
    }

    /// Of prompts of one moment the last covers the others; a second apart each is one.
    @Test(arguments: [(0, MissReason.replaced), (999, .replaced), (1_000, .deviceOff)])
    func aHiddenOneIsReplacedByOneOfTheSameSecond(milliseconds: Int, reason: MissReason) {
        let next = Sample.after(10) + .milliseconds(milliseconds)
        let times = UnseenTimes(PromptSwitches())
        #expect(Self.reason(times, Self.entry(isHidden: true, following: next)) == reason)
        #expect(Self.reason(times, Self.entry(following: next)) == .deviceOff)
    }

    /// Prompts were off from the fifth minute to the fifteenth, which is forgotten once it was looked at.
    @Test func whatFellDueWhilePromptsWereOffIsMissedForThat() {
        var times = UnseenTimes(PromptSwitches([(on: false, at: Sample.after(5)), (on: true, at: Sample.after(15))]))
        #expect(Self.reason(times) == .promptsOff)
        times.forgetSwitches()
        #expect(Self.reason(times) == .deviceOff)
    }

    /// From 2:00 to 2:29:59 of a day on which 2:00 is 3:00: there was no moment at which it could be done.
    @Test(arguments: [
        (-1, Zone.Resolution.skipped, MissReason.zoneChanged), (0, .skipped, .zoneChanged), (1, .skipped, .deviceOff),
        (-1, .unique, .deviceOff),
    ])
    func whatTheClocksWerePutForwardOverIsMissedForThat(
        seconds: Int, resolution: Zone.Resolution, reason: MissReason
    ) {
        let due = Sample.after(10)
        let occurrence = Occurrence(
            id: "a/1", task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(due), due: due,
            expires: due + .seconds(seconds), resolution: resolution)
        let entry = ScheduledEntry(occurrence, end: occurrence.expires)
        #expect(Self.reason(UnseenTimes(PromptSwitches()), entry) == reason)
    }
}
