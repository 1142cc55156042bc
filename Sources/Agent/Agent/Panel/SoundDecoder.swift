// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit

/// Makes a WAV file that can be played of the sound a study names, whatever it is called: MP3, Ogg
/// Vorbis or Opus, FLAC, WAV, AIFF, and where a decoder for them is installed M4A, AAC, and the
/// sound track of MP4 and WebM.
///
/// Files from outside are decoded in a separate process, which has a limit of time, memory and
/// output, opens no other file or connection, and takes nothing with it when it dies. Blocks.
package struct SoundDecoder: Sendable {
    package static let verb = "decode-sound"
    /// A sound is not longer than this many samples of one channel: 12 minutes at 44.1 kHz.
    static let mostSamples = 32_000_000

    private let program: String
    private let patience: Duration

    /// A decoder that starts `program`, by default this program itself. The slowest board decodes the longest
    /// sound within `patience`.
    package init(program: String = "/proc/self/exe", patience: Duration = .seconds(180)) {
        (self.program, self.patience) = (program, patience)
    }

    /// Decodes `source` into `target`, 16 bits; throws why it cannot be played, and
    /// leaves no target then.
    func decode(_ source: String, into target: String) throws {
        do {
            let ended = try BoundedProgram(name: program, arguments: [Self.verb, source, target])
                .run(input: [], limit: patience)
            if SoundProgram.saysCut(ended.output, status: ended.status) { throw SoundFlaw(Self.cutOff(target)) }
            // faad ends with 0 whatever it met.
            guard ended.status == 0, access(target, R_OK) == 0 else {
                throw SoundFlaw(Self.words(ended.output, status: ended.status))
            }
        } catch {
            unlink(target)
            throw error
        }
    }

    /// Of a sound with this many samples per second.
    static func tooLong(rate: Int) -> String {
        "it is longer than \(mostSamples / max(1, rate) / 60) minutes; cut or shorten it"
    }

    /// How far it came; the programs write 44 bytes of header at least, and their rate
    /// where RIFF has it.
    private static func cutOff(_ target: String) -> String {
        var status = stat()
        var header = [UInt8](repeating: 0, count: 32)
        let file = open(target, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, fstat(file, &status) == 0, pread(file, &header, header.count, 0) == header.count else {
            return "it is cut off: fetch or convert it again"
        }
        let perSecond = header[28..<32].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard perSecond > 0 else { return "it is cut off: fetch or convert it again" }
        return "it is cut off after \(max(0, Int(status.st_size) - 44) / perSecond) s: fetch or convert it again"
    }

    private static func words(_ output: String, status: CInt) -> String {
        let first = output.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let line = SoundProgram.explained(first.hasPrefix("studyd: ") ? String(first.dropFirst(8)) : first)
        // Some programs end with a status beyond those that mean signals.
        if (129...192).contains(status) {
            return "decoding stopped (signal \(status - 128)): "
                + "the file is damaged, or needs too much memory or time"
        }
        return line.isEmpty ? "the decoder ended with \(status), without a sound and without a word" : line
    }
}

/// Why a sound cannot be played, in words.
struct SoundFlaw: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
