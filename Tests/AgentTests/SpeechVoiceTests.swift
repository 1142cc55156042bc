// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

/// Texts of a study in that language, as a voice is given them.
func said(_ texts: String..., in language: String = "en") -> [Utterance] {
    texts.flatMap { Words(for: language).utterances(.study($0)) }
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10)), .enabled(if: SoundFixture.hasVoice, "espeak-ng is not installed"))
    struct EspeakTests {
        @Test func textsAreRenderedOnceAndKept() throws {
            let fixture = try SoundFixture()
            let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en")
            var told: [Int] = []
            let first = voice.render(said("How are you?", "7")) { done, all in told += [done, all] }
            #expect(first.rendered == 2 && first.kept == 0 && first.remark == nil)
            #expect(told == [1, 2, 2, 2])
            let second = voice.render(said("How are you?", "7"))
            #expect(second.rendered == 0 && second.kept == 2)
            let sound = try #require(voice.cached(said("How are you?")[0]))
            let seconds = Double(sound.samples.count) / Double(sound.rate)
            #expect((0.4...5).contains(seconds))
            #expect((sound.samples.max() ?? 0) > 2_000)
        }

        @Test func whatTheNewStudyDoesNotSayIsTakenAway() throws {
            let fixture = try SoundFixture()
            let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en")
            _ = voice.render(said("one", "two"))
            _ = voice.render(said("two"))
            #expect(SoundFixture.names(in: fixture.path + "/speech").count == 1)
            #expect(voice.cached(said("one")[0]) == nil && voice.cached(said("two")[0]) != nil)
        }

        @Test func aMessageThatComesLaterIsSpokenBesideTheStudysTexts() throws {
            let fixture = try SoundFixture()
            let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en")
            _ = voice.render(said("one"))
            for part in Cue.news("Dear all. The ward has moved.").speech(in: .english) { voice.add(part) }
            #expect(voice.cached(said("one")[0]) != nil)
            #expect(
                Cue.news("Dear all. The ward has moved.").speech(in: .english).allSatisfy { voice.cached($0) != nil })
        }

        @Test func aDamagedFileIsMadeAgain() throws {
            let fixture = try SoundFixture()
            let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en")
            _ = voice.render(said("two"))
            let name = SoundFixture.names(in: fixture.path + "/speech")[0]
            try AtomicFile.write([], to: fixture.path + "/speech/" + name)
            #expect(voice.cached(said("two")[0]) == nil)
            #expect(voice.render(said("two")).rendered == 1)
            #expect(voice.cached(said("two")[0]) != nil)
        }

        @Test func eachTextIsSaidByAVoiceOfItsLanguage() throws {
            let fixture = try SoundFixture()
            let british = SpeechVoice(folder: fixture.path, language: "en-gb")
            let german = SpeechVoice(folder: fixture.path, language: "de")
            _ = british.render(said("7"))
            #expect(german.cached(said("7", in: "de")[0]) == nil, "a German seven is another sound")
            _ = german.render(said("7", in: "de") + said("7"))
            #expect(german.cached(said("7", in: "de")[0]) != nil)
            #expect(
                german.cached(said("7")[0]) != nil, "the English words of a study without any have an English voice")
            #expect(british.cached(said("7")[0]) == nil, "of several English voices the configured one speaks")
        }

        @Test func anUnknownVoiceIsOneRemarkThatNamesTheSetting() throws {
            let fixture = try SoundFixture()
            let rendering = SpeechVoice(folder: fixture.path, language: "xx-none").render(
                (0..<50).flatMap { said("\($0)", in: "xx-none") })
            #expect(rendering.failed == 50 && rendering.rendered == 0)
            #expect(rendering.remark?.contains("[speech] in studyd.toml") == true)
        }

        @Test(arguments: [
            "", "…", "[[h@'loU]]", "<speak><break time='9999s'/></speak>", "-v de --stdout", "$(reboot)", "日本語",
            String(repeating: "word ", count: 400), "a\u{0}b\u{7}c", "\n\n\n",
        ]) func anyTextIsSpokenOrRefusedAndNothingIsLeftBehind(_ text: String) throws {
            let fixture = try SoundFixture()
            let voice = SpeechVoice(folder: fixture.path, language: "en")
            for part in said(text) { _ = try? voice.spoken(part) }
            #expect(SoundFixture.names(in: fixture.path).isEmpty)
        }
    }
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct SpeechVoiceTests {
        @Test func aMissingProgramIsOneRemarkWithTheRemedy() throws {
            let fixture = try SoundFixture()
            let rendering = SpeechVoice(folder: fixture.path, language: "en", program: "no-such-espeak")
                .render(said("one", "two", "three", "four"))
            #expect(rendering.failed == 4)
            #expect(rendering.remark?.contains("apt install no-such-espeak") == true)
        }

        /// espeak-ng takes what is behind two brackets for phonemes (its documentation of phonemes).
        @Test(arguments: ["[[h@'loU]]", "[[[h@'loU]]]", "a[[[[b", "a [ b", "no brackets"])
        func noTextBeginsPhonemes(_ text: String) throws {
            let fixture = try SoundFixture()
            let heard = fixture.path + "/heard"
            let sound = try fixture.file("made.wav", SoundFixture.wave([1, 2, 3], rate: 22_050))
            let program = try fixture.script("say", "cat >'\(heard)'\ncp '\(sound)' \"$2\"")
            let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en", program: program)
            #expect(voice.render(said(text)).rendered == 1)
            let given = try BoundedFile.text(heard)
            #expect(!given.contains("[[") && given.filter { $0 != " " } == text.filter { $0 != " " })
        }

        /// A program that fails may have said half of it.
        @Test(arguments: [(0, 1), (1, 0), (255, 0)]) func onlyWhatTheProgramSaysItHasDoneIsKept(
            status: Int, rendered: Int
        ) throws {
            let fixture = try SoundFixture()
            let sound = try fixture.file("made.wav", SoundFixture.wave([1, 2, 3], rate: 22_050))
            let program = try fixture.script("say", "cat >/dev/null\ncp '\(sound)' \"$2\"\nexit \(status)")
            let voice = SpeechVoice(folder: fixture.path + "/speech", language: "en", program: program)
            let rendering = voice.render(said("one"))
            #expect(rendering.rendered == rendered && rendering.failed == 1 - rendered)
            #expect((voice.cached(said("one")[0]) != nil) == (rendered == 1))
        }

        /// They may be of somebody's answers.
        @Test func whatAPowerCutLeftOfATextGoesToo() throws {
            let fixture = try SoundFixture()
            for name in ["a.wav", "b.wav.live", "c.wav.new", "notes"] { _ = try fixture.file(name, []) }
            SpeechVoice(folder: fixture.path, language: "en").forget()
            #expect(SoundFixture.names(in: fixture.path) == ["notes"])
        }

        @Test func theOptionsOfTheConfigurationAreRead() throws {
            let file = "board = \"b\"\n[speech]\nenabled = false\nlanguage = \"de\"\n"
            let settings = try AgentConfiguration(parsing: file, file: "studyd.toml").speech
            #expect(settings == SpeechSettings(isEnabled: false, language: "de"))
            #expect(try AgentConfiguration(parsing: "board = \"b\"", file: "f").speech == SpeechSettings())
            func language(_ name: String) throws -> String {
                let text = "board = \"b\"\n[speech]\nlanguage = \"\(name)\""
                return try AgentConfiguration(parsing: text, file: "f").speech.language
            }
            for name in ["", "-w", "a b", "/etc/passwd", "ü", "e!", String(repeating: "a", count: 33)] {
                #expect(throws: ConfigError.self) { try language(name) }
            }
            for name in ["e", "en-gb", "zh_yue+f3", String(repeating: "a", count: 32)] {
                #expect(try language(name) == name)
            }
        }
    }
}

extension SoundSuites {
    @Suite(.timeLimit(.minutes(10))) struct BoundedProgramTests {
        private func shell(_ script: String) -> BoundedProgram {
            BoundedProgram(name: "sh", arguments: ["-c", script])
        }

        @Test func inputOutputAndStatusAreHandedOver() throws {
            let ended = try shell("cat; exit 3").run(input: Array("text".utf8), limit: .seconds(20))
            #expect(ended.status == 3 && ended.output == "text")
        }

        @Test func aProgramThatHangsIsKilled() {
            #expect(throws: ProgramError.tooSlow("sh", .milliseconds(100))) {
                try shell("exec sleep 600").run(input: [], limit: .milliseconds(100))
            }
        }

        @Test func aProgramThatIsNoLongerNeededIsKilled() {
            #expect(throws: ProgramError.cancelled("sh")) {
                try shell("exec sleep 600").run(input: [], limit: .seconds(600), isCancelled: { true })
            }
        }

        @Test func muchOutputIsReadAndThrownAway() throws {
            let ended = try shell("head -c 1000000 /dev/zero | tr '\\0' x").run(input: [], limit: .seconds(20))
            #expect(ended.status == 0 && ended.output.utf8.count == BoundedProgram.outputLimit)
        }

        @Test func aProgramThatDoesNotReadItsInputIsNoMatter() throws {
            let ended = try shell("exit 0").run(
                input: [UInt8](repeating: 65, count: BoundedProgram.inputLimit), limit: .seconds(20))
            #expect(ended.status == 0)
        }

        @Test func aMissingProgramIsNamed() {
            #expect(throws: ProgramError.missing("no-such-program")) {
                try BoundedProgram(name: "no-such-program", arguments: []).run(input: [], limit: .seconds(1))
            }
        }
    }
}
