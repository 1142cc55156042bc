// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Exports
import Glibc
import SystemKit

/// What is done with a file that cannot be trusted: everything that `studyd recordings` does, and
/// what a start does.
enum FuzzTarget: Int, CaseIterable {
    case show, verify, plot, csv, gpx, wav, edf, sage, described, recover, description, wave, age, opened

    /// Does it. Only a crash or a standstill is a fault: errors are what it should come to.
    func run(_ bytes: [UInt8], _ desk: FuzzDesk) {
        switch self {
        case .show: _ = try? FileInspector.summary(of: desk.file(bytes)).text
        case .verify: _ = try? FileInspector.problems(of: desk.file(bytes))
        case .plot: try? RecordingPlot.run(desk.file(bytes), to: desk.nothing) { _ in }
        case .csv: export(bytes, .csv, desk)
        case .gpx: export(bytes, .gpx, desk)
        case .wav: export(bytes, .wav, desk)
        case .edf: export(bytes, .edf, desk)
        case .sage: export(bytes, .sageJSON, desk)
        case .described: described(bytes, desk)
        case .recover: recover(bytes, desk)
        case .description:
            if let found = try? RecordingDescription(json: bytes, path: "fuzz") {
                _ = RecordingSummary(found, bytes: 1).text + found.json.indentedText
            }
        case .wave: _ = try? WaveFile(bytes: bytes)
        case .age:
            _ = try? AgeReader.open(bytes, FuzzDesk.identities)
            if let file = try? File(desk.file(bytes), .read) { _ = try? AgeReader.contentLength(of: file) }
            _ = try? FileInspector.problems(of: desk.file(bytes), opening: FuzzDesk.identities)
        case .opened: opened(bytes, desk)
        }
    }

    /// Damaged content whose seal is whole: what a device sealed that wrote nonsense, as a recipient
    /// opens it.
    private func opened(_ bytes: [UInt8], _ desk: FuzzDesk) {
        defer { desk.clear() }
        let (path, folder) = desk.pair(bytes, state: "json", file: "")
        guard let content = try? BoundedFile.read(path),
            let sealed = try? AgeWriter.encrypt(content, to: FuzzDesk.identities.map(\.recipient)),
            let text = try? BoundedFile.read(path.prefix { $0 != "." } + ".json"),
            var description = try? RecordingDescription(json: text, path: path)
        else { return }
        description.age = .init(recipients: 1, contentType: description.contentType)
        description.age?.isUptime = bytes.count.isMultiple(of: 3)
        description.age?.isCut = bytes.count.isMultiple(of: 2)
        description.relativePath += RecordingDescription.AgeNote.ending
        unlink(path)
        let target = path + RecordingDescription.AgeNote.ending
        guard (try? File(target, .replace).write(sealed, at: 0)) != nil else { return }
        // Into the folder itself, which is cleared.
        if let opener = try? RecordingOpener(FuzzDesk.identities, into: folder) {
            _ = try? opener.open(target, described: description)
        }
    }

    private func export(_ bytes: [UInt8], _ format: ExportFormat, _ desk: FuzzDesk) {
        _ = try? RecordingExport.run([desk.file(bytes)], as: format, to: desk.nothing) { _ in }
    }

    /// A file with a description beside it: the first half of the input is the one, the
    /// second the other.
    private func described(_ bytes: [UInt8], _ desk: FuzzDesk) {
        let (path, _) = desk.pair(bytes, state: "json", file: "")
        // The input itself says what is done, so that it is the same every time.
        switch bytes.reduce(0 as UInt8, &+) % 8 {
        case 0: _ = try? FileInspector.summary(of: path).text
        case 1: _ = try? FileInspector.problems(of: path)
        case 2: try? RecordingPlot.run(path, to: desk.nothing) { _ in }
        case let choice:
            let format = ExportCatalog.standard.formats[Int(choice) - 3]
            _ = try? RecordingExport.run([path], as: format, to: desk.nothing) { _ in }
        }
        desk.clear()
    }

    /// What a power cut left.
    private func recover(_ bytes: [UInt8], _ desk: FuzzDesk) {
        let (_, folder) = desk.pair(bytes, state: "open", file: ".partial")
        let zone = Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET")
        let anchor = ClockAnchor(
            monotonic: .zero + .seconds(100), instant: Instant(seconds: 1_795_251_600), source: .kernel,
            uncertainty: .milliseconds(5))
        if let found = try? RecordingFolder(folder) {
            _ = try? RecordingCatalog(found.folder).summaries()
            _ = try? found.recover(bootID: "b", zone: zone) { _ in [anchor] }
            _ = try? found.sealed()
        }
        desk.clear()
    }
}

/// Where inputs lie while they are read, in memory.
final class FuzzDesk {
    /// What the seeds are sealed to.
    static let identities = [AgeIdentity(secret: [UInt8](repeating: 88, count: 32))].compactMap(\.self)
    private let memory: CInt
    private let sink: CInt
    private let folder: String

    /// `folder` is made; only this process uses it.
    init(folder: String) throws {
        self.folder = folder
        memory = open("\(folder)-input", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        sink = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard memory >= 0, sink >= 0, mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FuzzFault.desk(folder) }
    }

    deinit {
        close(memory)
        close(sink)
        clear()
        rmdir(folder)
        unlink("\(folder)-input")
    }

    /// The path of a file of these bytes.
    func file(_ bytes: [UInt8]) -> String {
        ftruncate(memory, 0)
        pwrite(memory, bytes, bytes.count, 0)
        return "/proc/self/fd/\(memory)"
    }

    /// A recording and its description, cut from one input behind the description's last brace,
    /// which is alone on its line.
    func pair(_ bytes: [UInt8], state: String, file: String) -> (path: String, folder: String) {
        let end = bytes.indices.dropFirst(2).first { place in
            bytes[place] == 0x0A && bytes[place - 1] == UInt8(ascii: "}") && bytes[place - 2] == 0x0A
        }
        let cut = end ?? bytes.count / 2
        var text = Array(bytes[..<cut])
        let kinds = ["accelerometer", "sound", "position", "magnetometer", "buttons"]
        let stem =
            "\(folder)/000001-\(kinds.first { Self.place(of: "\"kind\": \"\($0)\"", text) != nil } ?? "accelerometer")"
        let ending =
            [".cwa", ".flac", ".nmea", ".csv.gz", ".csv"].first { Self.place(of: "\($0)\"", text) != nil } ?? ".cwa"
        let name = stem + (file.isEmpty || ending != ".csv.gz" ? ending : ".csv") + file
        if state == "open", let place = Self.place(of: "\"sealed\"", text) {
            text.replaceSubrange(place..<place + 8, with: "\"open\"".utf8)
        }
        put(text, "\(stem).\(state)")
        put(Array(bytes[cut...].dropFirst()), name)
        return (name, folder)
    }

    func clear() { for name in (try? DiskFolder(creating: folder).names()) ?? [] { unlink("\(folder)/\(name)") } }

    /// An output that keeps nothing.
    func nothing() throws(FileError) -> ExportOutput { ExportOutput(descriptor: sink, name: "nothing") }

    private static func place(of word: String, _ bytes: [UInt8]) -> Int? {
        let word = Array(word.utf8)
        return bytes.withUnsafeBytes { all in
            guard all.count >= word.count else { return nil }
            return (0...all.count - word.count).first { start in
                all[start] == word[0] && word.indices.allSatisfy { all[start + $0] == word[$0] }
            }
        }
    }

    private func put(_ bytes: [UInt8], _ path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        write(file, bytes, bytes.count)
        close(file)
    }
}

/// Why nothing can be tried.
enum FuzzFault: Error, CustomStringConvertible {
    case desk(String)
    case corpus(String)
    case usage

    var description: String {
        switch self {
        case .desk(let path): "\(path) cannot be made; give another folder in /dev/shm or /tmp"
        case .corpus(let path): "\(path) holds no seeds; make them with 'RecordingFuzz seeds \(path)'"
        case .usage:
            "usage: RecordingFuzz run CORPUS EXECUTIONS [FIRST] | batch CORPUS FIRST COUNT FOLDER | input CORPUS NUMBER | seeds CORPUS | damage COUNT | recordings FOLDER"
        }
    }
}
