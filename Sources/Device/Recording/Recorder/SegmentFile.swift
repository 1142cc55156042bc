// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The file of an open segment. Whole units are gathered in memory and go out in one write
/// per sync interval.
final class SegmentFile {
    /// Units are written before the interval is over when they come to this many bytes.
    private static let largestBuffer = 1 << 18

    private let file: File
    private let interval: Duration
    private var buffer: [UInt8] = []
    private var size = 0
    private var lastSync: MonotonicTime

    /// A file with its first sample at `start`: from then on what is in memory counts.
    init(_ path: String, interval: Duration, start: MonotonicTime) throws(FileError) {
        file = try File(path, .create)
        self.interval = interval
        lastSync = start
    }

    /// Nothing was written to it.
    var isEmpty: Bool { size == 0 }

    /// Takes in whole units. Returns true when everything up to here is in the kernel's hands.
    func append(_ bytes: [UInt8]) throws(FileError) -> Bool {
        buffer += bytes
        if buffer.count >= Self.largestBuffer { try write() }
        return buffer.isEmpty
    }

    /// Threads come back a little later than they wanted.
    static let lateness = Duration.milliseconds(500)

    /// Makes everything durable when the interval is over, or would be by the next time. To be
    /// called when all that there is has been appended:
    /// what came a moment later would wait for another interval. Returns true when everything up to
    /// here is in the kernel's hands.
    func syncIfDue(at now: MonotonicTime, comingAgainAfter pace: Duration) throws(FileError) -> Bool {
        let age = now - lastSync
        guard age >= interval || age + pace > interval + Self.lateness else { return buffer.isEmpty }
        try write()
        try file.sync()
        lastSync = now
        return true
    }

    /// Writes the rest and the patches, and waits for the medium.
    func close(_ patches: [SegmentPatch]) throws(FileError) {
        try write()
        for patch in patches { try file.write(patch.bytes, at: patch.offset) }
        try file.sync(metadata: true)
    }

    /// Gives up what could not be written: cuts the file back to the last complete write.
    func abandon() {
        try? file.truncate(to: size)
        buffer.removeAll()
    }

    private func write() throws(FileError) {
        guard !buffer.isEmpty else { return }
        try file.write(buffer, at: size)
        size += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
