// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// Makes speech of texts with espeak-ng, run as a program, and keeps it as WAV files named by voice and text:
/// `StudySounds` renders a study's texts at enrolment, the `Speaker` plays them.
///
/// Each text is said by a voice of its language: by the configured one where that is its language,
/// else by the one that espeak-ng names after the language. Everything here blocks: on the disk,
/// and on espeak-ng for as long as `limit`.
package struct SpeechVoice: Sendable {
    package struct Rendering: Sendable, Hashable {
        /// Made in this call.
        package internal(set) var rendered = 0
        /// There already, and left as they are.
        package internal(set) var kept = 0
        package internal(set) var failed = 0
        /// One sentence with the remedy where something failed.
        package internal(set) var remark: String?
    }

    /// The most bytes of one text that are spoken.
    private static let textLimit = 8_000
    /// How long one text may take to render.
    private static let limit: Duration = .seconds(20)
    /// Words per minute: slower than espeak-ng's own 175, for loudspeakers the size of a coin. It is no part of a
    /// file's name: texts that were spoken before stay as they are.
    private static let speed = 150

    private let folder: String
    private let language: String
    private let program: String

    /// A voice of that language with its files in `folder`; the folder is made when it is needed.
    package init(folder: String, language: String, program: String = "espeak-ng") {
        (self.folder, self.language, self.program) = (folder, language, program)
    }

    /// The voice that the settings and the panel ask for; nil where nothing is spoken.
    package init?(_ settings: SpeechSettings, on panel: Panel, in state: StateFolder) {
        guard settings.isEnabled, panel.hasLoudspeaker else { return nil }
        self.init(folder: state.speech, language: settings.language)
    }

    /// Renders what is missing, and removes files that belong to none of these texts. `progress`
    /// gets how many of how many texts are done. Gives up after three refusals in a row: then it is
    /// not a matter of the text.
    package func render(_ texts: [Utterance], progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) -> Rendering {
        mkdir(folder, 0o750)
        sweep(keeping: Set(texts.map(name)))
        var rendering = Rendering()
        var refusals = 0
        for (index, text) in texts.enumerated() {
            if cached(text) != nil {
                rendering.kept += 1
            } else if refusals < 3, let error = render(text) {
                rendering.failed += 1
                rendering.remark = rendering.remark ?? error.description
                refusals = error == .notInstalled(program) ? 3 : refusals + 1
            } else if refusals < 3 {
                rendering.rendered += 1
                refusals = 0
            } else {
                rendering.failed += 1
            }
            progress(index + 1, texts.count)
        }
        return rendering
    }

    package func forget() { sweep(keeping: []) }

    /// A text that is rendered already; nil where it is not, or its file is damaged.
    package func cached(_ text: Utterance) -> WaveFile? { try? WaveFile(path: path(of: text)) }

    /// A text that is not rendered, without keeping it; ends early once `isCancelled`.
    package func spoken(_ text: Utterance, isCancelled: () -> Bool = { false }) throws -> WaveFile {
        mkdir(folder, 0o750)
        let file = path(of: text) + ".live"
        defer { unlink(file) }
        try speak(text, into: file, isCancelled: isCancelled)
        return try WaveFile(path: file)
    }

    /// Renders a text that came later, beside those of the study. Blocks; where it cannot be made
    /// it is not spoken.
    package func add(_ text: Utterance) {
        mkdir(folder, 0o750)
        if cached(text) == nil { _ = render(text) }
    }

    /// Nil when the file is there.
    private func render(_ text: Utterance) -> SpeechError? {
        let file = path(of: text)
        defer { unlink(file + ".new") }
        do throws(SpeechError) { try speak(text, into: file + ".new") } catch { return error }
        guard (try? WaveFile(path: file + ".new")) != nil, (try? AtomicFile.place(file + ".new", at: file)) != nil
        else { return .refused(program, "no sound in \(file)") }
        return nil
    }

    private func speak(
        _ text: Utterance, into file: String, isCancelled: () -> Bool = { false }
    ) throws(SpeechError) {
        let arguments = ["-w", file, "-s", String(Self.speed), "-v", voice(for: text.language), "-b", "1", "--stdin"]
        let ended: (status: CInt, output: String)
        do throws(ProgramError) {
            ended = try BoundedProgram(name: program, arguments: arguments)
                .run(input: input(text.text), limit: Self.limit, isCancelled: isCancelled)
        } catch {
            throw error == .missing(program) ? .notInstalled(program) : .failed(error.description)
        }
        guard ended.status == 0 else { throw .refused(program, ended.output) }
    }

    private func voice(for tag: String) -> String {
        let own = Language.primary(tag)
        return own == Language.primary(language) ? language : own
    }

    /// Two brackets would begin phonemes.
    private func input(_ text: String) -> [UInt8] {
        let plain = text.split(separator: "[", omittingEmptySubsequences: false).joined(separator: "[ ")
        guard plain.utf8.count > Self.textLimit else { return Array(plain.utf8) }
        return Array(String(decoding: plain.utf8.prefix(Self.textLimit), as: UTF8.self).utf8)
    }

    private func path(of text: Utterance) -> String { "\(folder)/\(name(text))" }

    private func name(_ text: Utterance) -> String {
        let digest = (try? Digest(ofText: "\(voice(for: text.language))\n\(text.text)").description) ?? ""
        return digest.prefix(32) + ".wav"
    }

    /// Removes files of all other names, also what a power cut left of a text that was being rendered.
    private func sweep(keeping names: Set<String>) {
        for name in FolderListing.readable(folder) where name.contains(".wav") && !names.contains(name) {
            unlink("\(folder)/\(name)")
        }
    }
}

/// Why a text is not spoken.
package enum SpeechError: ExplainedError, Sendable, Hashable {
    case notInstalled(String)
    /// The program, and what it printed.
    case refused(String, String)
    case failed(String)

    /// With the remedy; the texts themselves go on as signals.
    package var explanation: Explanation {
        switch self {
        case .notInstalled(let name):
            Explanation(
                cause: "\(name) is not installed: texts are not spoken, only signalled",
                remedy: "`apt install \(name)`, then enrol again")
        case .refused(let name, let message):
            Explanation(
                cause: "\(name) refused: \(message.prefix { $0 != "\n" })",
                remedy: "see [speech] in studyd.toml and `\(name) --voices`")
        case .failed(let message): Explanation(cause: "a text could not be spoken: \(message)")
        }
    }
}
