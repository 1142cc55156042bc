// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

private struct NotFound: Error {}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct MediaCacheTests {
        private static func sound(_ source: String) -> MediaReference {
            MediaReference(kind: .audio, source: source, path: "modules[0].questions[0].src")
        }

        /// The reference decoder in place of the decoding process, which is tested as the real one
        /// in `SoundFilesTests`.
        private static func flac(in fixture: SoundFixture) throws -> SoundDecoder {
            try program("flac --silent -d -f -o \"$3\" \"$2\" || { echo 'no sound of mine'; exit 1; }", in: fixture)
        }

        private static func program(
            _ body: String, in fixture: SoundFixture, patience: Duration = .seconds(20)
        ) throws -> SoundDecoder {
            SoundDecoder(program: try fixture.script("decode", body), patience: patience)
        }

        /// Plays a cached sound as the loop does, and gives back what came out of the sound device.
        private func play(_ bytes: [UInt8], in fixture: SoundFixture) throws -> [Int16] {
            let cache = MediaCache(folder: fixture.path + "/media", decoder: try Self.flac(in: fixture))
            let sound = Self.sound("https://example.org/a/sound")
            #expect(cache.fetch([sound]) { _ in bytes } == [])
            let endings = try Handed<PCMPlayback.Ending>()
            let playback = try fixture.playback()
            let speaker = try Speaker(playback, voice: nil, playsTones: { false }, ended: { endings.add($0) })
            speaker.play {
                let (samples, rate) = try cache.samples(of: sound)
                return WaveFile(rate: rate, channels: 1, samples: samples)
            }
            #expect(endings.wait(for: 1) == [.played])
            speaker.close()
            playback.close()
            return try fixture.played()
        }

        @Test(arguments: [UInt32(8_000), 44_100]) func aWAVFileSoundsSampleBySample(_ rate: UInt32) throws {
            let samples = SoundFixture.ramp(4_000)
            #expect(try play(SoundFixture.wave(samples, rate: rate), in: try SoundFixture()) == samples)
        }

        @Test func aStereoFileSoundsAsTheMeanOfItsChannels() throws {
            let left = (0..<1_000).map { Int16($0 * 10) }
            let both = left.flatMap { [$0, $0 + 2] }
            let played = try play(SoundFixture.wave(both, rate: 16_000, channels: 2), in: try SoundFixture())
            #expect(played == left.map { $0 + 1 })
        }

        @Test(.enabled(if: SoundFixture.hasFLAC, "the reference encoder flac is not installed"))
        func aFLACFileOfTheReferenceEncoderSoundsSampleBySample() throws {
            let fixture = try SoundFixture()
            let samples = SoundFixture.ramp(10_000)
            let wave = try fixture.file("in.wav", SoundFixture.wave(samples, rate: 16_000))
            let ended = try BoundedProgram(
                name: "flac", arguments: ["--silent", "-o", fixture.path + "/out.flac", wave]
            )
            .run(input: [], limit: .seconds(20))
            #expect(ended.status == 0)
            #expect(try play(try BoundedFile.read(fixture.path + "/out.flac"), in: fixture) == samples)
        }

        @Test func whatCannotBePlayedIsNamedWithItsPlaceAndAddress() throws {
            let fixture = try SoundFixture()
            let cache = MediaCache(
                folder: fixture.path + "/media",
                decoder: try Self.program("echo 'no sound of mine'; exit 1", in: fixture))
            let (good, text, gone) = (Self.sound("a"), Self.sound("b"), Self.sound("c"))
            let picture = MediaReference(kind: .image, source: "d", path: "p")
            var asked: [String] = []
            let problems = cache.fetch([good, text, gone, picture]) { address in
                asked.append(address)
                if address == "c" { throw NotFound() }
                return address == "a" ? SoundFixture.wave([1, 2], rate: 8_000) : Array("<html>".utf8)
            }
            #expect(asked == ["a", "b", "c"])
            #expect(problems.count == 2)
            #expect(problems[0].text.contains("modules[0].questions[0].src: b cannot be played: no sound of mine"))
            #expect(problems[1].text.contains("NotFound"))
            #expect(try cache.samples(of: good).samples == [1, 2])
        }

        /// What hangs is ended, what dies is reported with its signal, and neither leaves a file to
        /// be played.
        @Test(arguments: [("exec sleep 60", "did not finish within"), ("kill -9 $$", "stopped (signal 9)")])
        func aDecoderThatDoesNotEndWellLeavesNothing(_ body: String, _ words: String) throws {
            let fixture = try SoundFixture()
            let decoder = try Self.program("echo x > \"$3\"\n" + body, in: fixture, patience: .milliseconds(400))
            let cache = MediaCache(folder: fixture.path + "/media", decoder: decoder)
            let problems = cache.fetch([Self.sound("a")]) { _ in Array("ID3".utf8) }
            #expect(problems.count == 1 && problems[0].text.contains(words), "\(problems)")
            #expect(SoundFixture.names(in: fixture.path + "/media") == [])
        }

        /// ffmpeg 5.1.9, of half a WebM file: 2 s of sound, a word, and the status of success.
        @Test func aCutFileIsNotPlayedAsFarAsItGoes() throws {
            let fixture = try SoundFixture()
            let half = try fixture.file("half.wav", SoundFixture.wave(SoundFixture.ramp(16_000), rate: 8_000))
            let decoder = try Self.program(
                "cp '\(half)' \"$3\"; echo '[matroska,webm @ 0x55] File ended prematurely' >&2", in: fixture)
            let cache = MediaCache(folder: fixture.path + "/media", decoder: decoder)
            let problems = cache.fetch([Self.sound("a")]) { _ in [0x1A, 0x45, 0xDF, 0xA3] }
            #expect(problems.count == 1 && problems[0].text.contains("it is cut off after 2 s"), "\(problems)")
            #expect(SoundFixture.names(in: fixture.path + "/media") == [])
        }

        /// faad 2.10.1, of a video without sound and of half a file: a word, no output, and the
        /// status of success.
        @Test func aDecoderThatEndsWellWithoutASoundIsNotBelieved() throws {
            let fixture = try SoundFixture()
            let decoder = try Self.program("echo \"parse error: atom 'trak' not found\"", in: fixture)
            let cache = MediaCache(folder: fixture.path + "/media", decoder: decoder)
            let problems = cache.fetch([Self.sound("a")]) { _ in Array("....ftyp".utf8) }
            #expect(problems.count == 1 && problems[0].text.contains("cannot be played: parse error"), "\(problems)")
        }

        @Test func anEmptySoundIsNotPlayedInSilence() throws {
            let fixture = try SoundFixture()
            let cache = MediaCache(folder: fixture.path + "/media")
            let problems = cache.fetch([Self.sound("a"), Self.sound("")]) { _ in SoundFixture.wave([], rate: 8_000) }
            #expect(problems.count == 2 && problems[0].text.contains("no sound in it"))
        }

        @Test func filesOfTheSameNameDoNotCollide() throws {
            let fixture = try SoundFixture()
            let cache = MediaCache(folder: fixture.path + "/media")
            let sounds = ["http://a/x.wav", "http://b/x.wav"].map(Self.sound)
            _ = cache.fetch(sounds) { SoundFixture.wave([Int16($0.utf8.dropFirst(7).first ?? 0)], rate: 8_000) }
            #expect(try sounds.map { try cache.samples(of: $0).samples } == [[97], [98]])
        }
    }
}
