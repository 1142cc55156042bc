// SPDX-License-Identifier: Apache-2.0
import Database
import Glibc
import Study

/// Room on a disk that has none.
extension StudyDatabase {
    /// Commits what is to be removed, however full the disk is: with what is kept in reserve; and
    /// where that is not enough, the files go first, which the log says as soon as it can. A few at
    /// a time, so that no commit needs more than the reserve.
    func commitRemovals(
        _ removals: [RetentionPolicy.Removal], of views: [RecordingView],
        _ commit: ([RetentionPolicy.Removal]) throws -> Void
    ) throws {
        var rest = removals[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.removedAtOnce))
            rest = rest.dropFirst(some.count)
            let ids = Set(some.map(\.recording))
            let files = views.filter { ids.contains($0.recording.id) }
            do { try commit(some) } catch let error as DatabaseError where error.kind == .diskFull {
                try commitOnFullDisk(some, files, after: error, commit)
            }
            removeFiles(of: files)
        }
        reserve?.keep()
    }

    private static let removedAtOnce = 50

    private func commitOnFullDisk(
        _ removals: [RetentionPolicy.Removal], _ files: [RecordingView], after error: DatabaseError,
        _ commit: ([RetentionPolicy.Removal]) throws -> Void
    ) throws {
        guard let reserve else { throw error }
        reserve.spend()
        do { return try commit(removals) } catch let error as DatabaseError where error.kind == .diskFull {}
        try reserve.record(removals.map { "\($0.recording) \($0.reason.rawValue)" })
        removeFiles(of: files)
        try commit(removals)
        reserve.clearNote()
    }

    /// What was removed before a power cut and could not be said before it. To be called at start.
    func sayWhatWasRemoved(at stamp: EventStamp, _ commit: (RetentionPolicy.Removal) throws -> Void) throws {
        guard let reserve, !reserve.noted().isEmpty else { return }
        for line in reserve.noted() {
            let words = line.split(separator: " ")
            guard words.count == 2, let reason = RemovalReason(rawValue: String(words[1])) else { continue }
            let removal = RetentionPolicy.Removal(recording: String(words[0]), reason: reason)
            let isPresent = try connection.first(
                "SELECT 1 FROM recording WHERE id = ? AND removed IS NULL", removal.recording
            ) { try $0.int(0) }
            if isPresent != nil { try commit(removal) }
        }
        reserve.clearNote()
    }

    /// A commit found the disk full: lets go of what the policy does not keep, and of the reserve.
    package func makeRoom(_ policy: RetentionPolicy, at stamp: EventStamp) {
        _ = try? applyRetention(policy, at: stamp)
        guard let free = opening.flatMap({ StoreReserve.room(of: $0.files.path) })?.free, free < Self.littleRoom else {
            return
        }
        reserve?.spend()
    }

    /// Fewer bytes than a commit and its pages take.
    private static let littleRoom: Int64 = 1 << 20

    var reserve: StoreReserve? { opening.map { StoreReserve($0.files.reserve) } }
}
