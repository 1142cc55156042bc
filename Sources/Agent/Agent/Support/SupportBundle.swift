// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// What helps somebody far away to understand a device, as a zip archive: how it is doing, what it
/// found wrong, its configuration, its journal, its machine. Nothing of who takes part, what was
/// answered, where they were, and no secret. `studyd support` makes it. Blocks.
package struct SupportBundle: Sendable {
    /// Runs a program and returns what it printed; nil where it failed.
    package typealias Run = @Sendable (_ words: [String]) -> String?

    private let configuration: String
    private let folder: String
    private let isStoreRead: Bool
    private let redaction: SupportRedaction
    private let run: Run

    /// `configuration` is the text of `studyd.toml`; `names` are texts that are known to be private.
    /// `isStoreRead` is false where the store could not be read, so that `names` lack the answers. The texts
    /// of the enrolment's backup are cut out in any case.
    package init(
        configuration: String, folder: String, names: [String], isStoreRead: Bool = true,
        run: @escaping Run = SupportBundle.output
    ) {
        (self.configuration, self.folder, self.isStoreRead, self.run) = (configuration, folder, isStoreRead, run)
        let kept = EnrolmentBackup(at: folder).read()?.privateTexts ?? []
        redaction = SupportRedaction(names: names + kept)
    }

    /// The archive. `status` is what `status --json` prints, `check` what `check` prints; nil where
    /// it cannot be had.
    package func archive(status: String?, check: String?, at now: Instant, in zone: Zone) throws -> [UInt8] {
        var archive = ZipArchive(at: zone.local(now))
        for (name, text) in entries(status: status, check: check) { try archive.add(name, Array(text.utf8)) }
        return archive.finish()
    }

    func entries(status: String?, check: String?) -> [(name: String, text: String)] {
        let missing = "not available\n"
        let shown = status.flatMap { try? JSONNode(Array($0.utf8)).value }.map { SupportStatus($0, redaction) }
        return [
            ("README.txt", Self.readme + (isStoreRead ? "" : Self.doubt)),
            ("status.json", shown?.json.indentedText ?? missing),
            ("check.txt", check.map(redaction.clean) ?? missing), ("versions.txt", versions),
            ("configuration.txt", redaction.clean(SupportConfiguration(configuration).text)),
            ("journal.txt", run(Self.journal).map(redaction.clean) ?? missing),
            ("kernel.txt", redaction.clean(KernelFacts(folder: folder).text)),
        ]
    }

    private var versions: String {
        let curl = (run(["curl", "--version"]) ?? "").split(whereSeparator: \.isNewline).prefix(1)
        return (["studyd \(AgentVersion.line)"] + curl.map(String.init)).joined(separator: "\n") + "\n"
    }

    /// The program for the last day's journal, without the host's name, which may be a person's.
    private static let journal = [
        "journalctl", "--unit=studyd", "--since=-1d", "--lines=5000", "--no-hostname", "--no-pager", "--quiet",
        "--output=short-iso",
    ]

    private static let readme = """
        How a studyd device is doing, for those who look after it. Names, answers, positions and secrets were left out; where words
        might have held one they read \(SupportRedaction.mark). Look through it before you pass it on.

        status.json         what 'studyd status --json' says, without study and participant
        check.txt           what 'studyd check' found
        versions.txt        the program
        configuration.txt   the configuration, without the texts that may be private
        journal.txt         the journal of the last day
        kernel.txt          the machine


        """

    /// The warning for a bundle without `isStoreRead`.
    package static let doubt = """
        The store could not be read, so answers and earlier participants could only be recognised by their form:
        look through every file with care.

        """

    /// Runs a program: the last mebibyte of what it printed; nil where it cannot be started, fails or takes
    /// longer than ten seconds.
    @Sendable package static func output(_ words: [String]) -> String? {
        guard let pipe = try? Pipe(name: words.first ?? "", isBlocking: true) else { return nil }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        guard
            let child = try? ChildProcess(
                words, input: nothing, output: pipe.writing.rawValue, errors: nothing,
                environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"])
        else { return nil }
        let reading = pipe.readingEnd()
        let bytes = collected(from: reading.rawValue)
        if bytes == nil { child.signal(SIGKILL) }
        let status = child.wait()
        return status == 0 ? bytes.map { String(decoding: $0.suffix(limit), as: UTF8.self) } : nil
    }

    private static let limit = 1 << 20
    private static let timeout = Duration.seconds(10)

    /// Reads to the end of the output; nil when `timeout` is over.
    private static func collected(from descriptor: CInt) -> [UInt8]? {
        let clock = SystemClock()
        let deadline = clock.monotonic + timeout
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let left = deadline - clock.monotonic, left > .zero {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, CInt(clamping: max(1, left.milliseconds))) > 0 else { continue }
            let count = File.read(descriptor, into: &chunk)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
        }
        return nil
    }
}
