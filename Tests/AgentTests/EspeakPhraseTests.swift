// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Study
import SystemKit
import Testing

@testable import Agent

extension SoundSuites {
    /// espeak-ng itself is asked: it marks with `(en)` what it can only say by changing to another
    /// language. English words that German has taken over are said so on purpose.
    @Suite(.timeLimit(.minutes(10)), .enabled(if: SoundFixture.hasVoice, "espeak-ng is not installed"))
    struct EspeakPhraseTests {
        private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

        /// Read once, and only where a phrase begins: looking everywhere takes a debug
        /// build half a minute.
        private static let phrases: [Phrase] = {
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: root + "/Sources")) ?? []
            let literal = /Phrase\(\s*"((?:[^"\\]|\\.)*)"(?:,\s*context:\s*"([^"]*)")?\s*\)/
            // Those of RESULT.txt name files, and are only read.
            let spoken = names.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/TakeoverPhrases.swift") }
            return spoken.sorted().flatMap { name -> [Phrase] in
                let data = FileManager.default.contents(atPath: root + "/Sources/" + name)
                let code = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
                return code.ranges(of: "Phrase(").compactMap { range in
                    code[range.lowerBound...].prefixMatch(of: literal)
                        .map { Phrase(String($0.1), context: $0.2.map(String.init)) }
                }
            }
        }()

        @Test(arguments: Language.allCases) func everyPhraseCanBeSaid(_ language: Language) throws {
            let texts = Self.phrases.map { phrase in
                phrase.text(in: language).replacing(/\{[0-9]\}/, with: "2").replacing(/E-Mail-|Server| ms\b/, with: "")
            }
            #expect(texts.count > 200 && Language.allCases.count > 2)
            let fixture = try SoundFixture()
            let sounds = fixture.path + "/sounds"
            for start in stride(from: 0, to: texts.count, by: 40) {
                let part = texts[start..<min(start + 40, texts.count)]
                let program = BoundedProgram(
                    name: "espeak-ng",
                    arguments: ["-q", "--ipa", "--phonout=" + sounds, "-v", language.tag, "-b", "1", "--stdin"])
                let ended = try program.run(
                    input: Array(part.joined(separator: "\n\n").utf8), limit: .seconds(60))
                #expect(ended.status == 0)
                let written = String(
                    decoding: try #require(FileManager.default.contents(atPath: sounds)), as: UTF8.self)
                let lines = written.split(separator: "\n")
                #expect(lines.count >= part.count, "something was left unsaid among \(part)")
                #expect(!written.contains("("), "said in another language: \(lines.filter { $0.contains("(") })")
            }
        }
    }
}
