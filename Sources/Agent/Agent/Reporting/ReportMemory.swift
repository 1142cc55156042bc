// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import SystemKit

/// How far `ReportService` has come with its reports, over restarts: beside the store, since a row of the log each
/// hour would be more than it is worth.
///
/// Lost or damaged, it starts from zero: what was reported is reported again, and the receiver
/// knows an occurrence by its id.
struct ReportMemory: Codable, Sendable, Hashable {
    /// How a report ended.
    struct Ending: Codable, Sendable, Hashable {
        var number: Int64
        /// RFC 3339.
        var at: String
        var answer: String
    }

    /// The first day of which no manifest was received, of an enrolment.
    struct Day: Codable, Sendable, Hashable {
        var enrolment: String
        /// Days since 1970-01-01.
        var day: Int
    }

    /// Of the last report that was begun; it never comes again.
    var number: Int64 = 0
    /// Which log `row` counts in; see `LogHead.log`.
    var log: String?
    /// Outcomes up to this row were received.
    var row: Int64 = 0
    /// The enrolment of the last report that was received.
    var announced: String?
    /// The enrolment of which the end was received last.
    var ended: String?
    /// Nil = none was received yet.
    var manifest: Day?
    /// Of the last report that was sent, whatever the answer; nil before the first.
    var last: Ending?
    /// Of the last one that the receiver took; nil before the first.
    var lastReceived: Ending?

    /// The same for a log of that name, which may be another one.
    func following(_ name: String?) -> ReportMemory {
        guard let name, name != log else { return self }
        var memory = self
        (memory.log, memory.row) = (name, 0)
        return memory
    }
}

/// The file of the state folder in which it is kept. Blocks on the disk.
struct ReportMemoryFile: Sendable {
    private let path: String

    init(in folder: String) { path = StateFolder.reportMemory(in: folder) }

    func read() -> ReportMemory {
        let bytes = try? BoundedFile.read(path, limit: 65_536)
        return bytes.flatMap { try? JSONDecoder().decode(ReportMemory.self, from: Data($0)) } ?? ReportMemory()
    }

    func keep(_ memory: ReportMemory) throws {
        try AtomicFile.write(Array(JSONEncoder().encode(memory)), to: path, mode: 0o640)
    }
}
