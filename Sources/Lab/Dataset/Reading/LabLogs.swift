// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import SystemKit

/// Segments of devices' logs that came to a lab, from a bucket or by the receiver: what their rules decided.
/// `LabFolder` makes one for an export. Each is checked by itself; those of one log have to follow each other,
/// and be signed by a key of their participant where the receiver knows one. A log that is sent to two places
/// is cut at other rows for each, so that segments overlap where both came here.
struct LabLogs {
    private(set) var issues: [DatasetIssue] = []
    private var enrolments: [String: DeviceEnrolmentRow] = [:]
    private var files: [String: StudyTrial.Rules] = [:]
    /// By enrolment; rows of the device itself are among those of each.
    private var rows: [String: [TrialRow]] = [:]
    /// Keys of devices by participant. Revoked keys are among them: what they signed before stays valid.
    private let keys: [String: Set<String>]

    /// `seeds` by enrolment are those that the lab knows by another way.
    init(
        _ directory: String, _ archive: ReadOnlyDatabase, devices: ReadOnlyDatabase?, study: String,
        seeds: [String: String]
    ) throws {
        keys = try devices.map(Self.keys) ?? [:]
        var logs: [String: [Segment]] = [:]
        for path in try Self.paths(directory, archive) {
            do {
                let segment = try LogSegmentFile(path)
                logs[segment.log, default: []].append(Segment(segment, path, study))
            } catch {
                let name = path.split(separator: "/").last.map(String.init) ?? path
                issues.append(.init(.unreadable, "", "\(name): \(error)"))
            }
        }
        for (_, segments) in logs.sorted(by: { $0.key < $1.key }) {
            add(
                segments.sorted {
                    ($0.numbers.lowerBound, $0.numbers.upperBound) < ($1.numbers.lowerBound, $1.numbers.upperBound)
                })
        }
        for (id, seed) in seeds where enrolments[id]?.seed == nil { enrolments[id]?.seed = seed }
    }

    /// The part of a segment that is kept. Of enrolments without rules, and of other studies, only rows about the
    /// device are kept, on which decisions of a later enrolment rest.
    private struct Segment {
        let numbers: ClosedRange<Int64>
        private let path: String
        private let previous: String
        let hash: String
        let key: String?
        let trial: JSONText?
        let rows: [TrialRow]

        init(_ file: LogSegmentFile, _ path: String, _ study: String) {
            (numbers, previous, hash, self.path) = (file.numbers, file.previous, file.hash, path)
            (key, trial) = (file.key, file.study == study ? file.trial : nil)
            let isKept = trial != nil
            rows = file.rows.compactMap(TrialRow.init).filter { isKept || $0.isOfDevice }
        }

        /// The hash of the row before `number` as this segment has it. The file is read again where that row is
        /// one of its own.
        func hash(before number: Int64) -> String? {
            guard numbers.lowerBound < number else { return previous }
            return (try? LogSegmentFile(path))?.rows.first { $0.number == number - 1 }?.hash
        }
    }

    var trial: StudyTrial? {
        let ruled = enrolments.values.map { row in
            var row = row
            row.follow(rows[row.id] ?? [])
            return row
        }.sorted { ($0.began.instant, $0.id) < ($1.began.instant, $1.id) }
        guard !ruled.isEmpty else { return nil }
        return StudyTrial(ruled, files.values.sorted { $0.digest < $1.digest }) { [rows] in rows[$0.id] ?? [] }
    }

    /// Keys by participant. A key that waits was never approved, and an empty one revokes the name: neither is
    /// among them.
    private static func keys(_ devices: ReadOnlyDatabase) throws -> [String: Set<String>] {
        let known = try devices.connection.rows("SELECT user, key FROM key WHERE state <> 'waiting' AND key <> ''") {
            (user: try $0.string(0), key: try $0.string(1))
        }
        return Dictionary(grouping: known, by: \.user).mapValues { Set($0.map(\.key)) }
    }

    private static func paths(_ directory: String, _ archive: ReadOnlyDatabase) throws -> [String] {
        let mirrored = FolderListing.readable(directory + "/logs").filter { $0.hasSuffix(".jsonl.gz") }
        let uploaded = try archive.connection.rows(
            """
            SELECT file FROM upload WHERE sha256 IS NOT NULL AND file IS NOT NULL AND name GLOB 'log-*.jsonl.gz'
            ORDER BY number
            """
        ) { try $0.string(0) }
        return mirrored.map { "\(directory)/logs/\($0)" } + uploaded.map { "\(directory)/files/\($0)" }
    }

    /// The latest segment of each enrolment's log in the mirror of a bucket.
    static func latestMirrored(_ directory: String) -> [String] {
        let names = FolderListing.readable(directory + "/logs").filter { $0.hasSuffix(".jsonl.gz") }.sorted()
        let latest = Dictionary(names.map { ($0.split(separator: "-log-").first ?? "", $0) }) { $1 }
        return latest.values.map { "\(directory)/logs/\($0)" }
    }

    /// An uploaded segment, by what its upload says.
    struct Uploaded {
        let number: Int64
        let user: String
        /// Nil until it is whole.
        let file: String?
        let study: String?
        private let enrolment: String?
        /// Which log it is part of.
        var log: [String?] { [user, enrolment] }

        fileprivate init(_ row: Row) throws {
            (number, user, file) = (try row.int(0), try row.string(1), try row.stringOrNil(2))
            (study, enrolment) = (try row.stringOrNil(3), try row.stringOrNil(4))
        }
    }

    /// Those with a greater number, and those with one of `others`; the latest first.
    static func uploads(_ archive: ReadOnlyDatabase, after number: Int64, _ others: [Int64]) throws -> [Uploaded] {
        let known = "iif(json_valid(metadata), metadata, '{}')"
        let select = """
            SELECT number, user, iif(sha256 IS NULL, NULL, file), CAST(json_extract(\(known), '$.study') AS TEXT),
                CAST(json_extract(\(known), '$.enrolment') AS TEXT) FROM upload NOT INDEXED
            WHERE name GLOB 'log-*.jsonl.gz' AND number
            """
        return try archive.connection.rows(
            "\(select) > ?1 UNION ALL \(select) IN (SELECT value FROM json_each(?2)) ORDER BY 1 DESC", number,
            JSONText.array(others.map { .integer($0) }).text, read: Uploaded.init)
    }

    /// The study and the participant of a segment, and the tasks that its rules raise or decided about; nil where it
    /// cannot be read.
    static func ruledTasks(_ path: String) -> (study: String, participant: String, tasks: Set<String>)? {
        guard let segment = try? LogSegmentFile(path) else { return nil }
        let file = segment.trial?["file"]?.string.flatMap { try? TOMLTable(parsing: Array($0.utf8)) }
        let rules = file.flatMap { JSONText($0)["rule"]?.members } ?? []
        let decided = segment.rows.filter { $0.kind == "decided" }.map { $0.body?["decision"]?["task"] }
        let tasks = rules.map { $0.value["task"] } + decided
        return (segment.study, segment.participant, Set(tasks.compactMap { $0?.string }))
    }

    /// Adds the segments of one log, which are in the order of their first rows, then of their last ones.
    private mutating func add(_ segments: [Segment]) {
        let trials = segments.compactMap { segment in segment.trial.flatMap { DeviceEnrolmentRow($0) } }
        guard let participant = trials.first?.participant else { return }
        // Only the segment with an enrolment's last rows has the seed; it may precede a shorter one without it.
        for trial in trials where trial.seed != nil || enrolments[trial.id]?.seed == nil {
            enrolments[trial.id] = trial
        }
        for segment in segments { if let file = segment.trial.flatMap(Self.rules) { files[file.digest] = file } }
        if Set(segments.map(\.key)) != [segments.first?.key ?? ""] {
            issues.append(.init(.unreadable, participant, "its log is not signed, or by more than one device"))
        }
        let known = trials.reduce(into: Set<String>()) { $0.formUnion(keys[$1.participant] ?? []) }
        if !known.isEmpty, segments.contains(where: { $0.key.map { !known.contains($0) } ?? false }) {
            issues.append(
                .init(.unreadable, participant, "its log is signed by a key that the receiver does not know as theirs"))
        }
        // The number of the next row to be taken, and the hash of the one before it.
        var (next, hash): (Int64, String?) = (1, nil)
        for segment in segments where segment.numbers.upperBound >= next {
            if segment.numbers.lowerBound > next {
                let words = "rows \(next) to \(segment.numbers.lowerBound - 1) of its log are not here"
                issues.append(.init(.unreadable, participant, words))
            } else if let hash, segment.hash(before: next) != hash {
                issues.append(.init(.unreadable, participant, "row \(next) of its log follows another row"))
            }
            let new = segment.rows.filter { $0.number >= next }
            for id in Set(trials.map(\.id)) { rows[id, default: []] += new.filter { $0.isOf(id) } }
            (next, hash) = (segment.numbers.upperBound + 1, segment.hash)
        }
    }

    /// The rules file in a segment; nil where it is not the one that the enrolment names.
    private static func rules(_ trial: JSONText) -> StudyTrial.Rules? {
        guard let digest = trial["rules"]?.string, let text = trial["file"]?.string,
            (try? Digest(ofText: text).description) == digest
        else { return nil }
        return StudyTrial.Rules(digest: digest, text: text)
    }
}
