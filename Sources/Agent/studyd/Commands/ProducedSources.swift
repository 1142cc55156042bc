// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import SystemKit

/// The files that a device has produced, as its manifests and logs name them, for `studyd recordings`. Reading
/// verifies each manifest and log segment.
struct ProducedSources {
    private(set) var files: [ProducedFile] = []
    private let key: String?

    /// Throws where one is damaged, was signed by another key than `key`, or where segments of a log do
    /// not follow each other.
    init(manifests: [String], logs: [String], key: String?) throws {
        self.key = key?.lowercased()
        for path in try Self.inside(manifests, ending: ".json") {
            let (files, signer) = try ProducedFile.all(manifest: path)
            try check(signer, of: path)
            self.files += files
        }
        var segments: [(path: String, segment: LogSegmentFile)] = []
        for path in try Self.inside(logs, ending: ".jsonl.gz") {
            if path.hasSuffix(".sqlite") {
                try check(nil, of: path, remedy: "give the log's segments, which the device signs")
                files += try ReadOnlyLog(path).producedFiles()
            } else {
                let segment = try LogSegmentFile(path)
                try check(segment.key, of: path)
                segments.append((path, segment))
            }
        }
        try addChained(segments)
    }

    private func check(
        _ signer: String?, of path: String,
        remedy: String = "ask study-receiver devices list which key is the participant's"
    ) throws {
        guard let key, signer != key else { return }
        throw FileError(
            path: path, message: signer.map { "was signed by the device \($0)" } ?? "was signed by no device",
            remedy: remedy)
    }

    /// Adds the files of log segments; throws where one does not continue the one before.
    private mutating func addChained(_ segments: [(path: String, segment: LogSegmentFile)]) throws {
        for (_, log) in Dictionary(grouping: segments, by: \.segment.log).sorted(by: { $0.key < $1.key }) {
            let ordered = log.sorted { $0.segment.numbers.lowerBound < $1.segment.numbers.lowerBound }
            for (one, next) in zip(ordered, ordered.dropFirst()) where !next.segment.isCopy(of: one.segment) {
                guard next.segment.numbers.lowerBound == one.segment.numbers.upperBound + 1,
                    next.segment.previous == one.segment.hash
                else {
                    throw FileError(
                        path: next.path,
                        message: "does not follow \(one.path): a segment is missing, or one was changed")
                }
            }
            files += LogSegmentFile.produced(by: ordered.map(\.segment))
        }
    }

    /// Folders replaced by the files in them with that ending.
    private static func inside(_ paths: [String], ending: String) throws -> [String] {
        paths.flatMap { path in
            let names = FolderListing.readable(path).filter { $0.hasSuffix(ending) }
            return names.isEmpty ? [path] : names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
        }
    }
}
