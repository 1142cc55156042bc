// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A decoder that may be installed as a program, for sounds that libsndfile does not read (`SoundContainer`).
struct SoundProgram: Sendable {
    /// Of the program, and of Debian's package.
    let name: String
    let containers: Set<SoundContainer>
    private let arguments: @Sendable (_ container: SoundContainer, _ source: String, _ target: String) -> [String]

    /// The first of those that are installed wins.
    static let known = [ffmpeg, faad]
    static let folders = ["/usr/local/bin", "/usr/bin", "/bin"]

    /// The first sound track, mixed to one channel. The demuxer is named and no other protocol than
    /// a file's allowed, so that no list or reference in the file leads anywhere else; what is
    /// damaged ends it.
    private static let ffmpeg = SoundProgram(name: "ffmpeg", containers: Set(SoundContainer.allCases)) {
        let demuxer =
            switch $0 {
            case .mpeg4: "mov"
            case .adts: "aac"
            case .matroska: "matroska"
            }
        return [
            "-nostdin", "-hide_banner", "-loglevel", "error", "-xerror", "-threads", "1", "-protocol_whitelist", "file",
            "-f", demuxer, "-i", "file:" + $1, "-map", "0:a:0", "-ac", "1", "-c:a", "pcm_s16le", "-map_metadata", "-1",
            "-fflags", "+bitexact", "-fs", "\(2 * SoundDecoder.mostSamples + 4_096)", "-f", "wav", "-y", "file:" + $2,
        ]
    }

    /// Cannot bound its output: the process's limit of a file (RLIMIT_FSIZE) does.
    private static let faad = SoundProgram(name: "faad", containers: [.mpeg4, .adts]) { ["-q", "-d", "-o", $2, $1] }

    /// The command line of the first decoder that is installed; throws what to install.
    static func command(
        for container: SoundContainer, _ source: String, _ target: String, in folders: [String] = folders
    ) throws(SoundFlaw) -> [String] {
        let fitting = known.filter { $0.containers.contains(container) }
        for program in fitting {
            let paths = folders.map { $0 + "/" + program.name }
            if let path = paths.first(where: { access($0, X_OK) == 0 }) {
                return [path] + program.arguments(container, source, target)
            }
        }
        let names = fitting.map(\.name).joined(separator: " or ")
        throw SoundFlaw(
            "\(container.name) takes a decoder: apt install \(names), and try again; or convert it to MP3 or Ogg")
    }

    /// What a program printed, in words that fit every decoder.
    static func explained(_ line: String) -> String {
        line.contains("matches no streams") ? "there is no sound in it" : line
    }

    /// ffmpeg 5.1 goes on after these, and ends with 0 (libavformat: matroskadec.c, utils.c,
    /// mov.c): the file ends within a block.
    private static let cutWords = ["File ended prematurely", "Truncating packet of size", "partial file"]
    /// After these, where the program also ends with an error: the tables of an MP4 name what is not there, or
    /// are missing themselves, or the last frame is half.
    private static let brokenWords = [
        "corrupt input packet", "moov atom not found", "contradictionary STSC and STCO",
        "Input buffer exhausted before END element found",
    ]

    /// A program that ended with `status` has said that the file is cut off.
    static func saysCut(_ output: String, status: CInt) -> Bool {
        (status == 0 ? cutWords : cutWords + brokenWords).contains { output.contains($0) }
    }

    /// Replaces this process, which only decodes, by that program; returns only to throw.
    static func become(_ command: [String]) throws(SoundFlaw) {
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        let settings = ["PATH=\(folders.joined(separator: ":"))", "LC_ALL=C.UTF-8"]
        var environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        execve(command[0], &arguments, &environment)
        throw SoundFlaw("\(command[0]) cannot be started: \(String(cString: strerror(errno)))")
    }
}
