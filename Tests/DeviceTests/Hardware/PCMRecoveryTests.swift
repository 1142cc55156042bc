// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit
import Testing

@testable import Device

/// What goes wrong with sound cards, below the real libasound. The k-th frame of the card says k,
/// so that what is missing shows in what is there.
@Suite(.timeLimit(.minutes(10)), .enabled(if: TroubledCard.library != nil, "needs cc and libasound2-dev"))
struct PCMRecoveryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [TroubledCard.Step]
        let lost: Int
        let reason: LossReason
        let troubles: [PCMTrouble: Int]
        var opens = 1
        var words: [(TroubledCard.Word, Int)] = []
        var testDescription: String { name }
    }

    /// Which frame a sample came from, the count of frames modulo 65 536: 7919 has
    /// an inverse there.
    static func frame(_ sample: Int16) -> Int {
        Int(UInt16(truncatingIfNeeded: (Int(sample) + 12_345) &* 53_263))
    }

    static let cases = [
        Case(
            name: "overrun", steps: [.overrun(lost: 1600)], lost: 1600, reason: .soundOverrun, troubles: [.overrun: 1],
            words: [(.prepares, 2), (.starts, 2)]),
        Case(
            name: "two overruns on end", steps: [.overrun(lost: 100), .overrun(lost: 200)], lost: 300,
            reason: .soundOverrun, troubles: [.overrun: 2]),
        Case(
            name: "sleep", steps: [.suspend(lost: 5000, busy: 2)], lost: 5000, reason: .notRunning,
            troubles: [.suspended: 1], words: [(.resumes, 3), (.prepares, 1), (.starts, 1)]),
        Case(
            name: "unplugged", steps: [.unplug(lost: 7000), .refuse(times: 3, code: ENODEV)], lost: 7000,
            reason: .deviceError, troubles: [.unplugged: 1], opens: 5),
        Case(
            name: "unplugged, then another program has it",
            steps: [.unplug(lost: 7000), .refuse(times: 2, code: EBUSY)], lost: 7000,
            reason: .deviceError, troubles: [.unplugged: 1, .busy: 1], opens: 4),
        Case(
            name: "hangs", steps: [.hang(lost: 3200)], lost: 3200, reason: .soundOverrun, troubles: [.hung: 1],
            opens: 2, words: [(.closes, 2)]),
    ]

    private func parameters(_ card: TroubledCard) -> PCMParameters {
        PCMParameters(
            device: "card", configuration: card.configuration, rate: 16_000, period: .milliseconds(10),
            buffer: .milliseconds(200))
    }

    private func capture(
        _ card: TroubledCard, _ parameters: PCMParameters, _ ring: FrameRing<SoundFrame>
    ) throws -> PCMCapture {
        try PCMCapture(
            parameters, ring: ring, clock: TroubledCard.Clock(card: card), isAwaited: true,
            firstPause: .milliseconds(2))
    }

    /// Blocks until `frames` frames are there.
    private func pop(_ ring: FrameRing<SoundFrame>, frames: Int) throws -> [SoundFrame] {
        var blocks: [SoundFrame] = []
        var count = 0
        while count < frames {
            let block = try soon("\(frames) frames") { ring.pop() }
            blocks.append(block)
            count += Int(block.count)
        }
        return blocks
    }

    @Test(arguments: cases) func everyFaultEndsInACountedGapAndARecovery(_ fault: Case) throws {
        let card = try TroubledCard([.give(1600)] + fault.steps + [.give(1600)])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        let capture = try capture(card, parameters(card), ring)
        let blocks = try pop(ring, frames: 3200)
        capture.stop()
        #expect(blocks.reduce(0) { $0 + Int($1.lostBefore) } == fault.lost)
        let gap = try #require(blocks.firstIndex { $0.lostBefore > 0 })
        #expect(blocks[gap].reason == fault.reason.rawValue)
        // Nothing is spliced: the frame after the gap is the one that the times say,
        // and so is its time.
        #expect(Self.frame(blocks[gap].samples[0]) == 1600 + fault.lost)
        #expect(blocks[gap].time - blocks[0].time == .nanoseconds(Int64(1600 + fault.lost) * 62_500))
        #expect(capture.counters.troubles == fault.troubles && capture.counters.framesLost == fault.lost)
        #expect(card[.opens] == fault.opens)
        for (word, value) in fault.words { #expect(card[word] == value, "\(word)") }
        #expect(capture.counters.absence == nil)
        let words = try #require(capture.passedTrouble)
        #expect(words.contains("card") && words.contains("recording continued"))
        for (kind, count) in fault.troubles { #expect(words.contains("\(kind.rawValue) \(count)")) }
        #expect(capture.trouble == nil)
    }

    @Test func aCardThatIsNotThereYetIsNamedAndWaitedFor() throws {
        let card = try TroubledCard([.refuse(times: 1_000_000, code: ENODEV)])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        let capture = try capture(card, parameters(card), ring)
        try soon("a third look for the card") { card[.opens] >= 3 }
        let trouble = try #require(capture.trouble)
        #expect(trouble.description.contains("No such device") && trouble.description.contains("waiting for it"))
        #expect(capture.passedTrouble == nil && capture.counters.isAwaited)
        #expect(capture.counters.troubles == [.unplugged: 1] && capture.counters.absence?.code == ENODEV)
        capture.stop()
    }

    /// This card gives only what was waited for, and a clock waits for nothing: each read finds no frame.
    @Test func aCardThatFailsIsOpenedAgainWhereTheClockPaces() throws {
        let card = try TroubledCard([])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        var paced = parameters(card)
        paced.pacing = .byClock
        let capture = try PCMCapture(
            paced, ring: ring, clock: KernelClock(), isAwaited: true, firstPause: .milliseconds(2))
        try soon("a third look for the card") { card[.opens] >= 3 }
        capture.stop()
        #expect(capture.counters.troubles == [.failed: 1] && ring.pop() == nil)
    }

    @Test func stoppingDoesNotWaitForACardThatHangs() throws {
        let card = try TroubledCard([.give(160), .hang(lost: 1)])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        var slow = parameters(card)
        slow.period = .seconds(10)
        slow.buffer = .seconds(60)
        let capture = try capture(card, slow, ring)
        try soon("the start of the card") { card[.starts] >= 1 }
        capture.stop()
        #expect(card[.closes] == 1)
    }

    @Test(arguments: [
        ("S16_LE", 0), ("S24_LE", 0), ("S24_3LE", 1), ("S32_LE", 0), ("S32_LE", 1),
    ]) func aCardWithOneFormatAndTwoSlotsIsTakenAsItIs(_ format: String, _ slot: Int) throws {
        let card = try TroubledCard([.give(1600)], offer: "channels 2 format \"\(format)\"")
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        var wanted = parameters(card)
        (wanted.channels, wanted.channel) = (slot + 1, slot)
        let capture = try capture(card, wanted, ring)
        let samples = try pop(ring, frames: 1600).flatMap { block in (0..<Int(block.count)).map { block.samples[$0] } }
        capture.stop()
        #expect(Array(samples.prefix(1600)) == (slot == 0 ? ramp(1600) : [Int16](repeating: 1, count: 1600)))
    }

    @Test func aCardOf48kHzGives16kHzAndItsGapIsMeasuredAcrossTheFilter() throws {
        let card = try TroubledCard(
            [.give(4800), .overrun(lost: 4800), .give(4800)], offer: "rate 48000 channels 2 format \"S32_LE\"")
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        let capture = try capture(card, parameters(card), ring)
        // The filter of 169 taps gives 1544 of 1600 after each beginning.
        let blocks = try pop(ring, frames: 3088)
        capture.stop()
        let gap = try #require(blocks.firstIndex { $0.lostBefore > 0 })
        #expect(blocks[gap].lostBefore == 1656)
        #expect(blocks[..<gap].reduce(0) { $0 + Int($1.count) } == 1544)
        // The first output lies in the middle of the filter: 84 frames of the card after
        // the first input.
        #expect(
            abs(
                (blocks[0].time - MonotonicTime(nanoseconds: 100_000_000_000)).nanoseconds - 84 * 1_000_000_000 / 48_000
            ) < 100)
        let due = blocks[0].time + .nanoseconds(Int64(1544 + Int(blocks[gap].lostBefore)) * 62_500)
        #expect(abs((blocks[gap].time - due).nanoseconds) <= 62_500)
    }

    /// The card gives what it has when it is looked at again, and then hangs: what lies there is enough or it is not.
    @Test(arguments: [(160, PCMStream.Readiness.ready), (159, .silent)])
    func aPeriodIsWorthReadingAndAFrameLessIsNot(frames: Int, readiness: PCMStream.Readiness) throws {
        let card = try TroubledCard([.give(frames), .hang(lost: 0)])
        let stream = try PCMStream(.capture, parameters(card))
        let waker = try Waker()
        #expect(stream.layout.period == 160 && stream.start() >= 0)
        #expect(stream.wait(waker, atMost: .seconds(60)) == .ready)
        #expect(stream.wait(waker, atMost: .milliseconds(1)) == readiness)
    }

    struct RecoveryCase: Sendable, CustomTestStringConvertible {
        let trouble: [TroubledCard.Step]
        let recovery: PCMError.Recovery
        var isStopping = false
        let helps: Bool
        /// Of the whole life of the stream, its opening and its start among them.
        let words: [(TroubledCard.Word, Int)]
        var testDescription: String { "\(recovery)\(isStopping ? ", stopping" : "")" }
    }

    static let recoveries = [
        RecoveryCase(trouble: [], recovery: .retry, helps: true, words: [(.prepares, 1), (.starts, 1), (.resumes, 0)]),
        RecoveryCase(
            trouble: [], recovery: .reopen, helps: false, words: [(.prepares, 1), (.starts, 1), (.resumes, 0)]),
        RecoveryCase(
            trouble: [.overrun(lost: 100)], recovery: .prepare, helps: true,
            words: [(.prepares, 2), (.starts, 2), (.resumes, 0)]),
        RecoveryCase(
            trouble: [.suspend(lost: 100, busy: 0)], recovery: .resume, helps: true,
            words: [(.prepares, 1), (.starts, 1), (.resumes, 1)]),
        // A card that cannot be resumed is prepared (snd_pcm_resume(3)); here resuming is cut short.
        RecoveryCase(
            trouble: [.suspend(lost: 100, busy: 0)], recovery: .resume, isStopping: true, helps: true,
            words: [(.prepares, 2), (.starts, 2), (.resumes, 0)]),
    ]

    @Test(arguments: recoveries) func aRecoveryDoesWhatItsTroubleNeedsAndSaysIfItHelped(_ fault: RecoveryCase) throws {
        let card = try TroubledCard([.give(160)] + fault.trouble + [.give(1600)])
        let stream = try PCMStream(.capture, parameters(card))
        let waker = try Waker()
        #expect(stream.start() >= 0 && stream.wait(waker, atMost: .seconds(60)) == .ready)
        var buffer = [UInt8](repeating: 0, count: 160 * stream.layout.bytesPerFrame)
        let read = buffer.withUnsafeMutableBytes { stream.read(into: $0, frames: 160) }
        #expect(read == 160)
        if !fault.trouble.isEmpty { _ = stream.wait(waker, atMost: .seconds(60)) }
        if fault.isStopping { waker.stop() }
        #expect(stream.apply(fault.recovery, waker) == fault.helps)
        for (word, value) in fault.words { #expect(card[word] == value, "\(word)") }
    }

    @Test func theThreadWakesOncePerPeriod() throws {
        let card = try TroubledCard([.give(16_000)])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        let capture = try capture(card, parameters(card), ring)
        _ = try pop(ring, frames: 16_000)
        let (wakeUps, reads) = (capture.counters.wakeUps, capture.counters.reads)
        capture.stop()
        // The card goes on in real time, a period every 10 ms.
        #expect(reads >= 100 && wakeUps >= reads && wakeUps <= reads + 1)
    }

    @Test func theStartUpThumpIsLostAndNotSilent() throws {
        let card = try TroubledCard([.give(3200), .unplug(lost: 1600), .give(3200)])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        var wanted = parameters(card)
        wanted.settling = .milliseconds(50)
        let capture = try capture(card, wanted, ring)
        let blocks = try pop(ring, frames: 4800)
        capture.stop()
        #expect(blocks[0].lostBefore == 800 && blocks[0].reason == LossReason.notRunning.rawValue)
        #expect(Self.frame(blocks[0].samples[0]) == 800)
        let gap = try #require(blocks.dropFirst().first { $0.lostBefore > 0 })
        #expect(gap.lostBefore == 2400 && gap.reason == LossReason.deviceError.rawValue)
        #expect(Self.frame(gap.samples[0]) == 3200 + 2400)
    }

    @Test func whatWasHeardIsNotDumped() throws {
        let card = try TroubledCard([])
        let ring = FrameRing(capacity: 256, repeating: SoundFrame(time: .zero))
        try capture(card, parameters(card), ring).stop()
        #expect(CoreDumps.areForbidden)
    }

    // MARK: Playing

    private func play(
        _ steps: [TroubledCard.Step], offer: String = "", rate: Int = 16_000, samples: [Int16] = ramp(8000)
    ) throws -> (PCMPlayback.Ending, TroubledCard) {
        let card = try TroubledCard(steps, offer: offer)
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(
            PCMParameters(device: "card", configuration: card.configuration, rate: rate), clock: KernelClock())
        player.play(samples: samples, rate: rate) { endings.add($0) }
        let ending = try #require(endings.wait(for: 1).first)
        player.close()
        return (ending, card)
    }

    @Test func anUnderrunIsCuredAndTheSoundPlaysOn() throws {
        let (ending, card) = try play([.give(320), .overrun(lost: 0), .give(1_000_000)])
        #expect(ending == .played && card[.prepares] >= 2)
        #expect(try card.output.count >= 2 * (8000 - 3200))
    }

    @Test(arguments: [
        ([TroubledCard.Step.give(320), .unplug(lost: 0)], ENODEV), ([.give(320), .hang(lost: 0)], ETIMEDOUT),
        ([.refuse(times: 1, code: ENODEV)], ENODEV), ([.refuse(times: 99, code: EBUSY)], EBUSY),
    ]) func aLoudspeakerThatFailsIsNamedAndBlocksNothing(_ steps: [TroubledCard.Step], _ code: CInt) throws {
        let (ending, card) = try play(steps)
        guard case .failed(let error) = ending else { return #expect(Bool(false), "\(ending)") }
        #expect(error.code == code && error.device == "card")
        #expect(card[.closes] == (code == EBUSY || card[.starts] == 0 ? 0 : 1))
    }

    /// A USB card that fell off the bus and came back between two sounds: snd_pcm_prepare(3) says
    /// ENODEV of what was open before.
    @Test func aLoudspeakerThatCameBackPlaysTheNextSound() throws {
        let card = try TroubledCard([.give(1_000_000)])
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(
            PCMParameters(device: "card", configuration: card.configuration, rate: 16_000), clock: KernelClock())
        player.play(samples: ramp(800), rate: 16_000) { endings.add($0) }
        #expect(endings.wait(for: 1) == [.played])
        try card.follow([.unplug(lost: 0), .give(1_000_000)])
        player.play(samples: ramp(800), rate: 16_000) { endings.add($0) }
        #expect(endings.wait(for: 2) == [.played, .played])
        player.close()
        #expect(card[.opens] == 2 && card[.closes] == 2)
        #expect(try card.output.count == 2 * 2 * 800)
    }

    /// As with a dmix: the card's buffer is the one that it has, here of a second. Time is
    /// the card's own.
    @Test func aSoundIsPlayedToItsEndHoweverMuchTheCardHolds() throws {
        let card = try TroubledCard([.give(1_000_000)], offer: "buffer 32000")
        let endings = try Collected<PCMPlayback.Ending>()
        let player = try PCMPlayback(
            PCMParameters(device: "card", configuration: card.configuration, rate: 16_000),
            clock: TroubledCard.Clock(card: card))
        player.play(samples: ramp(14_400), rate: 16_000) { endings.add($0) }
        #expect(endings.wait(for: 1) == [.played])
        player.close()
        #expect(card[.frames] == 14_400)
    }

    @Test func aBusyLoudspeakerIsAskedAgain() throws {
        let (ending, card) = try play([.refuse(times: 2, code: EBUSY), .give(1_000_000)])
        #expect(ending == .played && card[.opens] == 3)
    }

    @Test func aCardWithOneRateAndTwoChannelsPlaysSpeech() throws {
        let tone = (0..<2205).map { Int16(12_000 * sineOfTurns(Double($0) * 441 / 22_050)) }
        let (ending, card) = try play(
            [.give(1_000_000)], offer: "rate 48000 channels 2 format \"S32_LE\"", rate: 22_050, samples: tone)
        #expect(ending == .played)
        let raw = try card.output
        let frames = stride(from: 0, to: raw.count - 7, by: 8).map { place in
            (0..<2).map { slot in
                Int16(bitPattern: UInt16(raw[place + 4 * slot + 2]) | UInt16(raw[place + 4 * slot + 3]) << 8)
            }
        }
        #expect(frames.count == 4800 && frames.allSatisfy { $0[0] == $0[1] })
        // The tone again, at 48 kHz, away from its edges.
        for (index, frame) in frames.enumerated().dropFirst(100).prefix(4600) {
            #expect(abs(Double(frame[0]) - 12_000 * sineOfTurns(Double(index) * 441 / 48_000)) < 60)
        }
    }
}
