// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Dataset
import Device
import FoundationEssentials
import Glibc
import SystemKit

struct ExportCommand: AsyncParsableCommand {
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case datapackage, csv, bids, xdf
    }

    static let configuration = CommandConfiguration(
        commandName: "export", _superCommandName: "study-receiver",
        abstract: "Write what arrived of one study as a dataset: tables, recordings, and what is missing.",
        discussion: """
            The receiver may be running. An export into the folder of an earlier one writes only what is new.
            A hole that a manifest or the log knows ends it with a list and 1, unless --with-holes: then it stands
            in missing.csv. docs/dataset.md has the tables, docs/dataset-bids.md what BIDS makes of them.
            With - for the folder a zip of the dataset goes to standard output.

            EXAMPLE
              study-receiver export --data ./lab -o mood --study-file mood.json
              study-receiver export --data ./lab -o week1 --to csv --from 2026-11-02 --until 2026-11-09
              study-receiver export --data ./lab -o - --without-recordings > mood.zip
            """)

    @Option(
        help: ArgumentHelp(
            "Data folder of the server, the state folder of a device, a stick's folder, or s3://BUCKET/PREFIX.",
            valueName: "dir"))
    var data = "receiver-data"

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Folder of the dataset; - for a zip on standard output.", valueName: "dir"))
    var output: String

    @Option(
        help: ArgumentHelp(
            "A Frictionless Data Package, tables alone, BIDS, or an XDF file for each enrolment.",
            valueName: "datapackage|csv|bids|xdf"))
    var to = Target.datapackage

    @Option(help: ArgumentHelp("The study, where the folder holds several.", valueName: "id"))
    var study: String?

    @Option(
        help: ArgumentHelp(
            "The study's file, for its words, where this server does not serve it. Repeatable.", valueName: "file"))
    var studyFile: [String] = []

    @Option(help: ArgumentHelp("This participant alone.", valueName: "id"))
    var participant: String?

    @Option(
        help: ArgumentHelp(
            "From this moment on, e.g. 2026-11-21 or 2026-11-21T10:15+01:00; without an offset by each participant's clock.",
            valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Up to this moment, which is no longer in it.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "Opens what is sealed: an identity file of age for recordings, the study's private key (PEM) for archives. Repeatable.",
            valueName: "file"))
    var key: [String] = []
    @Flag(
        help:
            "With who was treated by rules, their prompts and answers, and the seeds: these tell draws to come as well."
    )
    var unblind = false
    @Option(
        help: ArgumentHelp(
            "Seeds that devices have not sent yet, as 'studyd prove --seeds' prints them.", valueName: "file"))
    var seedFile: String?

    @Flag(help: "Go on although something is missing that nothing explains.")
    var withHoles = false

    @Flag(help: "Read no recording: they are listed, and neither they nor epochs, wear and positions are part of it.")
    var withoutRecordings = false

    @OptionGroup(title: "Bucket") var bucket: BucketOptions

    func validate() throws {
        guard !withoutRecordings || to == .datapackage || to == .csv else {
            throw ValidationError(
                "--without-recordings: --to \(to.rawValue) is made of recordings; use datapackage or csv")
        }
        guard output != "-" || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError("-o -: standard output is a terminal; write the zip to a file with > dataset.zip")
        }
    }

    func run() async throws {
        Self.allowManyFiles()
        let keys = try LabKeys(files: key)
        let data = try await bucket.folder(
            data, ProcessInfo.processInfo.environment, clock: SystemClock(), warn: Self.warn)
        try LabFile.checkAccess(to: data)
        let lab = DeviceFolder.isThere(data) ? nil : try openLab(data, keys)
        let whole: any StudyDataset =
            try lab ?? DeviceFolder(data, study: study, studyFiles: studyFile, keys: keys.recordings)
        // Blinding comes first: it needs everybody and all of the time.
        let window = try ExportWindow(from: from.map(Self.moment), until: until.map(Self.moment))
        let known: any StudyDataset = unblind ? whole : try BlindedDataset(whole)
        let shown = try WindowedDataset(known, window: window, participant: participant)
        let zip = output == "-" ? try ZippedDataset() : nil
        defer { zip?.remove() }
        let dataset = OpenedDataset(shown, keys: keys.recordings, in: zip?.folder.path ?? output)
        defer { dataset.close() }
        // Before anything is written, and before recordings are decrypted (`unopened`).
        let (holes, bytes) = try DatasetExport.survey(dataset.unopened)
        guard holes.isEmpty || withHoles else { throw HolesError(holes) }
        let lock = zip == nil ? try Self.lock(output) : nil
        defer { if let lock { Self.unlock(lock) } }
        let folder = try zip?.folder ?? DatasetFolder(output)
        let bar = ProgressBar(title: "exporting \(dataset.study.shown)")
        let outcome = try write(dataset, window, to: folder, bytes, progress: bar.show)
        try zip?.finish()
        bar.end()
        for issue in outcome.issues { Self.warn("\(issue)") }
        if lab?.hasChanged() == true {
            Self.warn("the receiver went on while this was written: what came then is not in it")
        }
        let summary = summary(of: dataset, outcome)
        if zip == nil { print(summary) } else { Self.warn(summary) }
        // What is damaged, or gone, or opened by no key shows only where it is placed.
        if !outcome.holes.isEmpty, !withHoles { throw HolesError(outcome.holes) }
    }

    private func openLab(_ data: String, _ keys: LabKeys) throws -> LabFolder {
        try LabFolder(
            data, study: study, studyFiles: studyFile, keys: keys.archives, seeds: try seedFile.map(Self.seeds) ?? [:])
    }

    private func summary(of dataset: any StudyDataset, _ outcome: DatasetExport.Outcome) -> String {
        "\(dataset.study.shown): \(Plural.of(dataset.participants.count, "participant")), "
            + "\(Plural.of(outcome.tables, "table")), \(Plural.of(outcome.recordings, "recording")), "
            + "\(ByteText.of(outcome.newBytes)) new, \(Plural.of(outcome.holes.count, "hole"))"
    }

    private func write(
        _ dataset: any StudyDataset, _ window: ExportWindow, to folder: DatasetFolder, _ bytes: Int64,
        progress: @escaping (Double) -> Void
    ) throws -> DatasetExport.Outcome {
        switch to {
        case .bids: try BIDSExport(dataset, to: folder, progress: progress).run(bytes: bytes)
        case .xdf: try XDFExport(dataset, to: folder, window: window, progress: progress).run(bytes: bytes)
        case .datapackage, .csv:
            try DatasetExport(
                dataset, to: folder, isPackage: to == .datapackage, unblinds: unblind,
                holdsRecordings: !withoutRecordings, progress: progress
            ).run(bytes: bytes)
        }
    }

    static func seeds(_ path: String) throws -> [String: String] {
        let text = String(decoding: try BoundedFile.read(path, limit: 1 << 20), as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return try lines.enumerated().reduce(into: [:]) { seeds, line in
            let words = line.element.split(separator: " ").map(String.init)
            if words.isEmpty { return }
            guard words.count == 2, [UInt8](hexadecimal: words[1])?.count == 32 else {
                throw FileError(
                    path: path, message: "line \(line.offset + 1) is no enrolment with its seed",
                    remedy: "write what 'studyd prove --seeds' prints on the device")
            }
            seeds[words[0]] = words[1]
        }
    }

    /// Keeps other exports out until it is closed; two would make one dataset of both. Network file systems that have no
    /// such lock let them in.
    private static func lock(_ path: String) throws -> CInt {
        try File.makeFolder(path)
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileError.last("open", path) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            close(folder)
            throw FileError(
                path: path, message: "another export is writing there", remedy: "wait for it, or use another folder")
        }
        return folder
    }

    private static func unlock(_ folder: CInt) {
        // A child that was just forked may have a copy, and closing alone would not unlock.
        flock(folder, LOCK_UN)
        close(folder)
    }

    /// As many as the system lets: all recordings of an enrolment are open at once.
    private static func allowManyFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// A day alone means its first moment.
    private static func moment(_ text: String) -> String { text.count == 10 ? text + "T00:00:00" : text }

    private static func warn(_ line: String) { errorLine("export: \(line.shown)") }
}

/// What is not here and nothing explains: ends an export without `--with-holes`.
struct HolesError: ExplainedError {
    private static let mostLines = 50
    let explanation: Explanation

    init(_ holes: [(participant: String, item: MissingItem)]) {
        let lines = holes.prefix(Self.mostLines).map { hole in
            let day = hole.item.day.map { " of \($0)" } ?? ""
            return "  \(hole.participant): \(hole.item.kind.rawValue) \(hole.item.name)\(day): \(hole.item.state)".shown
        }
        let more = holes.count > Self.mostLines ? ["  … and \(holes.count - Self.mostLines) more"] : []
        explanation = Explanation(
            cause: (["\(Plural.of(holes.count, "thing is", "things are")) missing, and nothing explains it:"] + lines
                + more)
                .joined(separator: "\n"),
            remedy: "get them from the devices, or add --with-holes: they then stand in missing.csv")
    }
}
