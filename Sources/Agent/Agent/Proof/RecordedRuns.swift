// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// Recordings of acceleration in a folder, by the run of the agent that made them: `ProofWalk` recomputes from them
/// what the sensors told the rules.
package struct RecordedRuns {
    private struct File {
        let path: String
        let number: Int
        let boot: String
        let start: Double
    }
    private let folder: String
    private let files: [File]

    package init(in folder: String) throws {
        self.folder = folder
        files = try Self.names(in: folder).compactMap { name in
            guard name.hasSuffix("-accelerometer.cwa"), let number = Int(name.prefix { $0.isNumber }),
                let description = try RecordedFile("\(folder)/\(name)").description, description.task == nil
            else { return nil }
            return File(
                path: "\(folder)/\(name)", number: number, boot: description.bootID, start: description.startUptime)
        }
    }

    /// None where nothing was ever recorded.
    private static func names(in folder: String) throws -> [String] {
        do throws(FolderListing.Failure) { return try FolderListing.names(in: folder, most: 100_000) } catch {
            guard error.code == ENOENT else { throw error }
            return []
        }
    }

    /// True where every value can be computed again: the recordings that it names are here. A value without
    /// recordings cannot.
    func canRecompute(_ measured: [(value: Double?, recordings: [Int]?)]) -> Bool {
        measured.allSatisfy { value, numbers in
            guard let numbers else { return value == nil }
            return numbers.allSatisfy { number in files.contains { $0.number == number } }
        }
    }

    /// Throws where a recording that is here is another than was sealed.
    package func check(_ sealed: RecordingRecord) throws {
        let path = "\(folder)/\(sealed.path)"
        guard files.contains(where: { $0.path == path }) else { return }
        guard try Digest(ofFile: path).description == sealed.sha256 else {
            throw FileError(path: path, message: "is not the recording that the log names: its SHA-256 is another")
        }
    }

    /// True where a recording is here that the agent's run from `begin` on had begun by `time`. A later one may be of
    /// the next run in the same boot.
    func hasRecording(since begin: EventStamp, by time: MonotonicTime) -> Bool {
        recordings(since: begin).contains { $0.start <= Double(time.nanoseconds) / 1e9 }
    }

    /// Of the same boot. Those of later runs are among them, which is harmless: nothing in them is older than
    /// their own run.
    private func recordings(since begin: EventStamp) -> [File] {
        let uptime = Double(begin.monotonic.nanoseconds) / 1e9
        return files.filter { $0.boot == begin.bootID && $0.start >= uptime }
    }

    /// What sensors told the rules in the agent's run that began at `begin`, recomputed from its recordings; from
    /// `start` on, the first time that its clock had.
    func sensorEntries(
        since begin: EventStamp, from start: Instant?, _ rules: StudyRules
    ) throws -> [SensorTimeline.Entry] {
        let recordings = recordings(since: begin)
        guard !recordings.isEmpty else { return [] }
        let wear = rules.rules.contains { $0.needs.contains(.worn) }
        return try SensorTimeline(replaying: recordings.map(\.path), rules.features, wear: wear, from: start).entries
    }
}
