// SPDX-License-Identifier: Apache-2.0
import Database
import Glibc
import Study

/// Answers that a participant has deleted, and a log that ends.
extension StudyDatabase {
    /// Kinds of events that hold answers, or tell them by what was pressed and when.
    private static let answerKinds = ["answered", "submitted", "taskProgress", "variableSet", "pressed", "released"]
    /// A server's words about a body may hold its values. They say also how far an item has come,
    /// so they stay while one is on its way.
    private static let refusalKinds = ["uploadRefused", "uploadFailed", "uploadUncertain"]
    /// Kinds of events that say neither who somebody is nor what they answered: that it
    /// happened, and when.
    private static let namelessKinds = [
        "agentStarted", "agentStopped", "salvaged", "promptsSwitched", "withdrawn", "erased", "handedOver", "prompted",
        "presented",
        "promptPutOff",
        "listOpened", "listLeft", "graphsOpened", "graphsLeft", "menuOpened", "menuLeft", "runOpened", "runLeft",
        "concluded", "anchored", "enrolmentDated",
        "clockStepped", "gap", "recordingRemoved", "itemDropped", "itemDeleted", "itemRequeued",
        "uploadStarted", "uploadPaused",
    ]
    /// Why answers are erased: the participant has them deleted.
    package static let withdrawal = "withdrawal"
    private static let handOver = "hand-over"

    /// Deletes from this device what a participant has answered: out of the log (the proof
    /// that it happened stays), out of what follows from it, and every recording, delivered
    /// or not. `enrolment` nil = of everybody. What is still to be sent is kept, where it was
    /// not deleted before.
    ///
    /// Returns of how many rows; 0 where all was erased before. Nothing of them is left in the
    /// file's free pages or in the write-ahead log, unless `finishErasure` says otherwise.
    @discardableResult
    package func eraseAnswers(of enrolment: String?, reason: String, at stamp: EventStamp) throws -> Int {
        let (rows, removed) = try log.transaction { try erase(of: enrolment, reason: reason, at: stamp) }
        removeFiles(of: removed)
        // What was set aside holds them too.
        opening?.files.removeSetAside()
        if try rows > 0 || connection.hasFreePages() { compact(at: stamp) }
        return rows
    }

    /// Within a transaction of the caller's, who then removes the files and writes the file anew.
    func erase(
        of enrolment: String?, reason: String, at stamp: EventStamp
    ) throws -> (rows: Int, removed: [RecordingView]) {
        let owed = Set(
            try connection.rows(
                "SELECT recording FROM outbox WHERE recording IS NOT NULL AND state IN ('waiting', 'sending', 'refused')"
            ) { try $0.string(0) })
        let removed = try recordingViews().filter {
            (enrolment == nil || $0.enrolment == enrolment) && $0.removed == nil && !owed.contains($0.recording.id)
        }
        for view in removed {
            try log.append([.recordingRemoved(recording: view.recording.id, reason: .withdrawal)], at: stamp)
        }
        let isUnderWay =
            try connection.first(
                """
                SELECT count(*) FROM outbox WHERE (enrolment = ? OR ?)
                AND (state IN ('sending', 'refused') OR (state = 'waiting' AND attempts > 0))
                """, enrolment, enrolment == nil
            ) { try $0.int(0) } ?? 0 > 0
        let rows = try log.erase(
            .kinds(Self.answerKinds + (isUnderWay ? [] : Self.refusalKinds)), of: enrolment)
        // Bytes that nobody needs any more, whatever they were kept for.
        try connection.run(
            """
            DELETE FROM request WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE request = digest
            AND (state IN ('waiting', 'sending', 'refused') OR NOT (enrolment = ? OR ?)))
            """, enrolment, enrolment == nil)
        // With the old one goes the way to try out, by the digests that stay, what was sent.
        try connection.run("UPDATE secret SET bytes = randomblob(32)")
        if rows > 0 { try log.append([.erased(rows: rows, reason: reason)], at: stamp) }
        return (rows, removed)
    }

    /// Writes the file anew. What keeps that from happening (a full disk, somebody who reads) is
    /// told, and tried again by `finishErasure`.
    func compact(at stamp: EventStamp) {
        let isNew = !awaitsCompaction
        do {
            try connection.compact()
            awaitsCompaction = false
        } catch {
            awaitsCompaction = true
            guard isNew else { return }
            let message =
                "what was erased may still be in the file's free pages, which cannot be written anew yet: \(error)"
            _ = try? log.append([.fault(place: "erasure", message: message)], at: stamp)
        }
    }

    /// Makes good what `compact` could not do. True when nothing is left to do.
    @discardableResult
    package func finishErasure(at stamp: EventStamp) -> Bool {
        if awaitsCompaction { compact(at: stamp) }
        return !awaitsCompaction
    }

    /// True where answers of that enrolment were deleted: what comes of it late is deleted too.
    package func hasErasedAnswers(of enrolment: String) throws -> Bool {
        try connection.first(
            "SELECT count(*) FROM event WHERE enrolment = ? AND kind = 'erased'", enrolment
        ) { try $0.int(0) } ?? 0 > 0
    }

    /// What keeps the device from going to another person: items that have no receipt, and
    /// recordings that are nowhere else.
    package func undelivered() throws -> (items: Int, recordings: Int) {
        let items = try connection.first(
            "SELECT count(*) FROM outbox WHERE state IN ('waiting', 'sending', 'refused')"
        ) { Int(try $0.int(0)) }
        return (items ?? 0, try recordingViews().count { $0.removed == nil && !$0.isDelivered })
    }

    /// The enrolment that this log is to be closed under, the last one in it; nil where
    /// nobody ever took part.
    package func lastEnrolment() throws -> String? {
        try connection.first(
            "SELECT enrolment FROM event WHERE kind = 'enrolled' ORDER BY sequence DESC LIMIT 1"
        ) { try $0.string(0) }
    }

    /// True after `close`: nobody may be enrolled in this log any more.
    package func isClosed() throws -> Bool { try log.isHandedOver() }

    /// Ends the log for good: the enrolment in force without a word to its server, everything
    /// without a receipt deleted, every answer erased, and of those who had their answers deleted
    /// also who they were. Can be done again where it was cut short.
    package func close(at stamp: EventStamp) throws {
        if let present = try latestEnrolment(), present.withdrawn == nil {
            try withdraw(deletesUnsent: true, sending: [], at: stamp.of(present.record.id))
        }
        let removed = try log.transaction {
            for item in try items(limit: -1) where [.waiting, .sending, .refused].contains(item.state) {
                try finish(item, .itemDeleted(item: item.item.id, reason: Self.handOver), at: stamp)
            }
            let deleters = try connection.rows(
                "SELECT DISTINCT enrolment FROM event WHERE kind = 'erased' AND enrolment <> ''"
            ) { try $0.string(0) }
            let removed = try erase(of: nil, reason: Self.handOver, at: stamp).removed
            // What belongs to no enrolment may name them too: a fault, an address.
            let nameless = deleters.isEmpty ? [] : deleters + [""]
            let rows = try nameless.reduce(0) { try $0 + log.erase(.allBut(Self.namelessKinds), of: $1) }
            if rows > 0 { try log.append([.erased(rows: rows, reason: Self.handOver)], at: stamp) }
            try connection.run("DELETE FROM request")
            try connection.run("DELETE FROM study_file")
            if try !isClosed() { try log.append([.handedOver], at: stamp) }
            return removed
        }
        removeFiles(of: removed)
        try connection.compact()
        try connection.leaveWriteAheadLog()
    }
}
