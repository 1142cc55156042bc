// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// A speaker that has the same ramp for every word and writes its sound to a file.
private struct Bench {
    static let word = SoundFixture.ramp(2_205)
    static let pause = [Int16](repeating: 0, count: 2_646)
    let fixture: SoundFixture
    let playback: PCMPlayback
    let speaker: Speaker
    let voice: SpeechVoice
    let endings: Handed<PCMPlayback.Ending>

    init(playsTones: Bool = false, isMute: Bool = false, cached: [String] = ["one", "two"]) throws {
        try self.init(isMute: isMute, cached: cached) { playsTones }
    }

    init(isMute: Bool = false, cached: [String] = ["one", "two"], playsTones: @escaping @Sendable () -> Bool) throws {
        let fixture = try SoundFixture()
        let endings = try Handed<PCMPlayback.Ending>()
        let program = try fixture.program(making: SoundFixture.wave(Self.word, rate: 22_050))
        voice = SpeechVoice(folder: fixture.path + "/speech", language: "en", program: program)
        _ = voice.render(cached.flatMap { said($0) })
        playback = try fixture.playback()
        speaker = try Speaker(playback, voice: isMute ? nil : voice, playsTones: playsTones) { endings.add($0) }
        self.fixture = fixture
        self.endings = endings
    }

    func close() throws -> [Int16] {
        speaker.close()
        playback.close()
        return try fixture.played()
    }

    static func plan(_ speech: [String], _ steps: [SignalStep] = []) -> SignalPlan {
        SignalPlan(cue: .accepted, steps: steps, speech: speech.flatMap { said($0) })
    }
}

private struct NoSound: Error {}

private final class Presence: Sendable {
    let flag = Atomic<Bool>(false)
}

private struct MuteBuzzer: Buzzer {
    let hasPitch = true
    func tone(frequency: Double?) {}
    func close() {}
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct SpeakerTests {
        @Test func partsFollowTheStepsAndOneAnother() throws {
            let bench = try Bench()
            bench.speaker.play(Bench.plan(["one", "two"], [SignalStep(sounds: true, duration: .milliseconds(100))]))
            #expect(bench.endings.wait(for: 2) == [.played, .played])
            // The buzzer sounds the step: the loudspeaker is silent for as long.
            let silence = [Int16](repeating: 0, count: 2_205)
            #expect(try bench.close() == silence + Bench.word + Bench.pause + Bench.word + Bench.pause)
            #expect(bench.speaker.leftOut == 0 && bench.speaker.failures == 0)
        }

        @Test func withoutABuzzerTheLoudspeakerSoundsTheSteps() throws {
            let bench = try Bench(playsTones: true)
            let step = SignalStep(sounds: true, pitch: 441, duration: .seconds(1))
            bench.speaker.play(Bench.plan([], [step, SignalStep(duration: .milliseconds(100))]))
            bench.endings.wait(for: 1)
            let played = try bench.close()
            let tone = Array(played.prefix(22_050))
            let rises = zip(tone, tone.dropFirst()).count { $0 < 0 && $1 >= 0 }
            #expect((440...441).contains(rises))
            #expect((tone.max() ?? 0) > 8_000)
            #expect(played.dropFirst(22_050).allSatisfy { $0 == 0 } && played.count == 24_255)
        }

        /// A PWM channel that udev has not given to the service's group yet, or one without its
        /// overlay.
        @Test func whileTheBuzzerIsMissingTheLoudspeakerSoundsTheSteps() throws {
            let clock = VirtualClock(now: .epoch)
            let isThere = Presence()
            let buzzer = AwaitedBuzzer("buzzer", hasPitch: true, clock: clock) {
                guard isThere.flag.load(ordering: .relaxed) else { throw NoSound() }
                return MuteBuzzer()
            }
            buzzer.part.poll(at: clock.monotonic)
            let bench = try Bench { buzzer.part.device == nil }
            let step = SignalStep(sounds: true, pitch: 441, duration: .milliseconds(100))
            bench.speaker.play(Bench.plan([], [step]))
            bench.endings.wait(for: 1)
            isThere.flag.store(true, ordering: .relaxed)
            buzzer.part.poll(at: clock.monotonic + .seconds(2))
            bench.speaker.play(Bench.plan([], [step]))
            bench.endings.wait(for: 2)
            let played = try bench.close()
            #expect((played.prefix(2_205).max() ?? 0) > 8_000)
            #expect(played.count == 4_410 && played.suffix(2_205).allSatisfy { $0 == 0 })
        }

        @Test func aTextThatIsNotCachedIsRenderedOnTheWay() throws {
            let bench = try Bench(cached: ["one"])
            bench.speaker.play(Bench.plan(["one", "made up", "one"]))
            bench.endings.wait(for: 2)
            let played = try bench.close()
            #expect(bench.speaker.leftOut == 0 && played.count == 3 * 4_851)
            #expect(played == (0..<3).flatMap { _ in Bench.word + Bench.pause })
            #expect(bench.voice.cached(said("made up")[0]) == nil)
        }

        @Test func aLoudspeakerThatRefusesIsNamedAndBlocksNothing() throws {
            let endings = try Handed<PCMPlayback.Ending>()
            let playback = try PCMPlayback(
                PCMParameters(device: "gone", configuration: "pcm.null { type null }", rate: 22_050),
                clock: SystemClock())
            let speaker = try Speaker(playback, voice: nil, playsTones: { true }, ended: { endings.add($0) })
            speaker.play(Bench.plan([], [SignalStep(sounds: true, duration: .milliseconds(50))]))
            endings.wait(for: 1)
            #expect(speaker.failures == 1)
            #expect(speaker.trouble?.contains("sound device gone: open for playback") == true)
            speaker.close()
            playback.close()
        }

        /// `[speech] enabled = false` is a choice, and no fault that is reported for ever.
        @Test func whereSpeechIsSwitchedOffTheTonesSoundAndNothingIsMissing() throws {
            let bench = try Bench(isMute: true)
            bench.speaker.play(Bench.plan(["one", "two"], [SignalStep(sounds: true, duration: .milliseconds(10))]))
            bench.endings.wait(for: 1)
            _ = try bench.close()
            #expect(bench.speaker.leftOut == 0 && bench.speaker.trouble == nil)
        }

        @Test func aNewSignalInterruptsAndASilentOneDoesNot() throws {
            let bench = try Bench()
            let long = SignalStep(sounds: true, duration: .seconds(9))
            bench.speaker.play(Bench.plan(["one"], [long]))
            bench.speaker.play(Bench.plan(["two"]))
            bench.speaker.play(Bench.plan([], [SignalStep(light: .green, duration: .seconds(1))]))
            bench.endings.wait(for: 1) { $0 == .played }
            let played = try bench.close()
            #expect(played.suffix(4_851) == (Bench.word + Bench.pause)[...])
            #expect(played.count < 22_050 * 9)
        }

        @Test func aSoundComesAfterWhatIsSaidAndTakesThePlaceOfTheSoundBefore() throws {
            let bench = try Bench()
            let sound = SoundFixture.ramp(1_000, from: 99)
            let endless = WaveFile(rate: 22_050, channels: 1, samples: [Int16](repeating: 1, count: 22_050 * 60))
            bench.speaker.play({ endless })
            bench.speaker.play(Bench.plan(["one"]))
            bench.speaker.play { WaveFile(rate: 22_050, channels: 1, samples: sound) }
            bench.endings.wait(for: 2) { $0 == .played }
            #expect(try bench.close().suffix(5_851) == (Bench.word + Bench.pause + sound)[...])
        }

        /// Reading a file takes time: the sound that comes meanwhile is the one that is heard.
        @Test func aSoundThatComesWhileAnotherIsReadTakesItsPlace() throws {
            let bench = try Bench()
            let (begun, ready) = (try Handed<Bool>(), try Handed<Bool>())
            let (first, second) = (SoundFixture.ramp(8_000), SoundFixture.ramp(1_000, from: 99))
            bench.speaker.play {
                begun.add(true)
                ready.wait(for: 1)
                return WaveFile(rate: 22_050, channels: 1, samples: first)
            }
            #expect(begun.wait(for: 1) == [true])
            bench.speaker.play { WaveFile(rate: 22_050, channels: 1, samples: second) }
            ready.add(true)
            bench.endings.wait(for: 1) { $0 == .played }
            let played = try bench.close()
            #expect(played.count < 8_000 && played.suffix(1_000) == second[...])
        }

        @Test func aSoundThatCannotBeReadIsTold() throws {
            let bench = try Bench()
            let told = try Handed<String>()
            bench.speaker.play({ throw NoSound() }, failed: { told.add("\($0)") })
            #expect(told.wait(for: 1) == ["NoSound()"])
            bench.speaker.close()
            bench.playback.close()
        }

        @Test func stoppingForgetsWhatWaits() throws {
            let bench = try Bench()
            bench.speaker.play(Bench.plan(["one"], [SignalStep(sounds: true, duration: .seconds(10))]))
            bench.speaker.stop()
            bench.speaker.play(Bench.plan(["two"]))
            bench.endings.wait(for: 1) { $0 == .played }
            #expect(try bench.close().suffix(4_851) == (Bench.word + Bench.pause)[...])
        }
    }
}
