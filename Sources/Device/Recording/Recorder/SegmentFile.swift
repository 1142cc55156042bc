// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The file of an open segment. Whole units are gathered in memory and go out in one write per sync interval.
/// `OpenSegment` has one.
///
/// `append` as samples come; when `isSyncDue`, either the journal takes `addition` (`noteJournal`), or
/// `beginSync` and `sync`; at the end `end`, then `close`. After an error of any of them: `abandon`, and
/// `close` later for what the journal has.
final class SegmentFile {
    /// Units are written before the interval is over when they come to this many bytes.
    private static let largestBuffer = 1 << 18

    private let file: File
    private let interval: Duration
    /// Whether `sync` waits until the medium has the bytes. False only for virtual time, in which the interval
    /// would be over a thousand times a second.
    private let waitsForMedium: Bool
    private let encrypter: AgeWriter?
    private var buffer: [UInt8] = []
    /// Bytes at the front of `buffer` that the journal has.
    private var inJournal = 0
    /// Bytes written to the file.
    private var size = 0
    /// Those of them that are on the medium.
    private var synced = 0
    /// Patches that may not be on the medium yet.
    private var patches: [SegmentPatch] = []
    private var lastSync: MonotonicTime
    /// Bytes of what was appended that readers of the file find, as far as the kernel has it: of an
    /// encrypted one those in whole chunks, until it is closed.
    private(set) var contentInFile = 0
    /// Nothing more is appended, and everything was handed over.
    private(set) var isEnded = false

    /// A file with its first sample at `start`: from then on what is in memory counts. Without an
    /// `encrypter` it is written in the clear.
    init(
        _ path: String, interval: Duration, start: MonotonicTime, waitsForMedium: Bool = true,
        encrypter: AgeWriter? = nil
    ) throws(FileError) {
        self.encrypter = encrypter
        file = try File(path, .create)
        self.waitsForMedium = waitsForMedium
        self.interval = interval
        lastSync = start
    }

    var isEmpty: Bool { size == 0 }

    var isEncrypted: Bool { encrypter != nil }
    /// Bytes that were appended, and those of them in chunks of an encrypted file.
    var content: (all: Int, inChunks: Int) {
        guard let encrypter else { return (size + buffer.count, size + buffer.count) }
        return (encrypter.encryptedCount + encrypter.pendingCount, encrypter.encryptedCount)
    }

    /// Takes in whole units. Returns true when everything up to here is in the kernel's hands.
    func append(_ bytes: [UInt8]) throws(FileError) -> Bool {
        if encrypter == nil { buffer += bytes }
        try encrypt { encrypter, out throws(AgeFault) in try encrypter.append(bytes, to: &out) }
        if buffer.count >= Self.largestBuffer { try write() }
        return buffer.isEmpty && encrypter == nil
    }

    private func encrypt(_ step: (AgeWriter, inout [UInt8]) throws(AgeFault) -> Void) throws(FileError) {
        guard let encrypter else { return }
        do throws(AgeFault) { try step(encrypter, &buffer) } catch { throw error.at(file.path) }
    }

    /// By how much the recording thread may come back later than it asked to.
    static let lateness = Duration.milliseconds(500)

    /// The interval is over, or would be well over by the next call, `pace` from now.
    func isSyncDue(at now: MonotonicTime, comingAgainAfter pace: Duration) -> Bool {
        let age = now - lastSync
        return age >= interval || age + pace > interval + Self.lateness
    }

    /// Nothing waits to be written; of an encrypted file, nothing of its whole chunks.
    var isWritten: Bool { buffer.isEmpty }

    /// What is in memory alone, and where in the file it belongs; nil where the file itself has to be synced:
    /// nothing of it is durable yet, or so much came that a part is written already. Nothing of an encrypted
    /// file goes into the journal, which would be readable.
    var addition: (offset: Int, bytes: ArraySlice<UInt8>)? {
        if isEncrypted { return synced > 0 && synced == size && buffer.isEmpty ? (size, []) : nil }
        return waitsForMedium && synced > 0 && synced == size ? (size + inJournal, buffer[inJournal...]) : nil
    }

    /// Some of its bytes are durable in the journal alone.
    var needsJournal: Bool { inJournal > 0 }

    /// The medium has all of it.
    var isDurable: Bool { synced == size && buffer.isEmpty && patches.isEmpty }

    /// The journal has made everything durable.
    func noteJournal(at now: MonotonicTime) {
        inJournal = buffer.count
        lastSync = now
    }

    /// Hands everything to the kernel, which begins to write it. To be called when all that there is
    /// has been appended: what came a moment later would wait for another interval.
    func beginSync() throws(FileError) {
        try write()
        if waitsForMedium { file.beginWriting() }
    }

    /// Makes everything durable that was handed over.
    func sync(at now: MonotonicTime) throws(FileError) {
        if waitsForMedium, !isEncrypted || synced < size { try file.syncOrRewrite(from: synced) }
        synced = size
        lastSync = now
    }

    /// Hands the rest to the kernel.
    func end() throws(FileError) {
        let all = content.all
        try encrypt { encrypter, out throws(AgeFault) in try encrypter.finish(to: &out) }
        try write()
        (contentInFile, isEnded) = (all, true)
    }

    /// Writes what is not handed over and the patches, and waits for the medium; what fails may be
    /// repeated without the patches. Of an encrypted file no byte is ever replaced, which would encrypt two
    /// contents under one nonce: `RecordingOpener` makes the patches.
    func close(_ patches: [SegmentPatch] = []) throws(FileError) {
        if !isEnded { try end() }
        if !isEncrypted { self.patches += patches }
        for patch in self.patches { try file.write(patch.bytes, at: patch.offset) }
        try file.syncOrRewrite(from: synced, metadata: true)
        (synced, self.patches) = (size, [])
    }

    /// Gives up what could not be written: cuts the file back to the last complete write. What the
    /// journal has is still to be written.
    func abandon() {
        try? file.truncate(to: size)
        buffer.removeLast(buffer.count - inJournal)
        // Behind a chunk that is missing no reader finds another.
        if isEncrypted { isEnded = true }
    }

    private func write() throws(FileError) {
        guard !buffer.isEmpty else { return }
        try file.write(buffer, at: size)
        size += buffer.count
        inJournal = 0
        buffer.removeAll(keepingCapacity: true)
        contentInFile = content.inChunks
    }
}
