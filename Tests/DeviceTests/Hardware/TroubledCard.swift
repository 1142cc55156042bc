// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Glibc
import Synchronization
import SystemKit

/// A sound card below the real libasound that behaves as a script says:
/// `Tests/alsa-plugin/troubled.c`.
final class TroubledCard: Sendable {
    enum Step {
        case give(Int)
        case overrun(lost: Int)
        /// `busy`: how often resuming leaves it asleep.
        case suspend(lost: Int, busy: Int)
        case unplug(lost: Int)
        case refuse(times: Int, code: CInt)
        case hang(lost: Int)

        fileprivate var words: [Int64] {
            switch self {
            case .give(let frames): [1, Int64(frames), 0]
            case .overrun(let lost): [2, Int64(lost), 0]
            case .suspend(let lost, let busy): [3, Int64(lost), Int64(busy)]
            case .unplug(let lost): [4, Int64(lost), 0]
            case .refuse(let times, let code): [5, Int64(times), Int64(code)]
            case .hang(let lost): [6, Int64(lost), 0]
            }
        }
    }

    enum Word: Int { case time, step, steps, opens, prepares, starts, resumes, stops, closes, frames, left }

    static let library: String? = {
        let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
        let output = "/tmp/libtroubled-\(getpid()).so"
        let command = "cc -shared -fPIC -DPIC '\(root)/alsa-plugin/troubled.c' -o \(output) -lasound"
        guard let pipe = popen(command, "r"), pclose(pipe) == 0 else {
            print("SKIPPED: the troubled sound card cannot be built: cc and libasound2-dev are needed")
            return nil
        }
        atexit { unlink("/tmp/libtroubled-\(getpid()).so") }
        return output
    }()

    let folder: String
    private let script: Descriptor
    private let offer: String

    /// `offer`: the card's own limits in ALSA's configuration language:
    /// `rate 48000 channels 2 format "S32_LE" buffer 32000`, the buffer in bytes.
    init(_ steps: [Step], offer: String = "") throws {
        var template = Array("/tmp/troubled-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: 1, operation: "make a folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.offer = offer
        script = try Descriptor(opening: folder + "/script", flags: O_RDWR | O_CREAT)
        var words = [Int64](repeating: 0, count: 512)
        words[Word.time.rawValue] = 100_000_000_000
        try script.write(words.withUnsafeBytes(Array.init))
        try follow(steps)
    }

    /// Begins with these steps, in the place of what was left of those before; not while it runs.
    func follow(_ steps: [Step]) throws {
        try set(.step, 0)
        try set(.steps, Int64(steps.count))
        try set(.left, steps.first?.words[1] ?? 0)
        for (index, word) in steps.flatMap(\.words).enumerated() { try set(16 + index, word) }
    }

    private func set(_ word: Word, _ value: Int64) throws { try set(word.rawValue, value) }

    private func set(_ place: Int, _ value: Int64) throws {
        var value = value
        guard pwrite(script.rawValue, &value, 8, off_t(8 * place)) == 8 else { throw SystemError.last("write", folder) }
    }

    deinit {
        unlink(folder + "/script")
        unlink(folder + "/out")
        rmdir(folder)
    }

    var configuration: String {
        """
        pcm_type.troubled { lib "\(Self.library ?? "")" }
        pcm.card { type troubled script "\(folder)/script" output "\(folder)/out" \(offer) }

        """
    }

    /// What the card counts; the mapping and the file are one to the kernel.
    subscript(_ word: Word) -> Int {
        var value: Int64 = 0
        _ = pread(script.rawValue, &value, 8, off_t(8 * word.rawValue))
        return Int(value)
    }

    var output: [UInt8] { get throws { try contents(folder + "/out") } }

    /// CLOCK_MONOTONIC as the script has it.
    struct Clock: StudyClock {
        let card: TroubledCard
        var now: Instant { .epoch + .nanoseconds(monotonic.nanoseconds) }
        var monotonic: MonotonicTime { MonotonicTime(nanoseconds: Int64(card[.time])) }
        var marks: ClockMarks { ClockMarks() }
        func sleep(until deadline: MonotonicTime) async throws { fatalError("nothing here sleeps") }
    }
}
