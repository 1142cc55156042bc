// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// One entry of a `RecordingJournal`: additions to open files of the same moment.
///
/// It begins on a block of the disk, which no later entry touches: the length of a gzip member and
/// the member, which has a checksum. In it, little-endian: round, sequence, and for each addition
/// number, offset, length and bytes.
struct JournalEntry: Sendable, Hashable {
    /// Bytes of a journal, and of what an entry holds before it is compressed.
    static let largest = 128 << 10
    private static let block = 4096

    /// A journal that is full begins again with the next round.
    let round: UInt32
    /// From 0 in each round.
    let sequence: UInt32
    let additions: [FileAddition]

    init(round: UInt32, sequence: UInt32, additions: [FileAddition]) {
        (self.round, self.sequence, self.additions) = (round, sequence, additions)
    }

    /// The entry as whole blocks; nil where it holds more than `largest`.
    func bytes() throws(FileError) -> [UInt8]? {
        var content: [UInt8] = []
        content.append(littleEndian: round)
        content.append(littleEndian: sequence)
        for addition in additions {
            content.append(littleEndian: UInt64(addition.number))
            content.append(littleEndian: UInt64(addition.offset))
            content.append(littleEndian: UInt32(addition.bytes.count))
            content += addition.bytes
            guard content.count <= Self.largest else { return nil }
        }
        let member = try GzipFile.compressed(content)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(member.count))
        bytes += member
        return bytes + [UInt8](repeating: 0, count: -bytes.count & (Self.block - 1))  // up to a whole block
    }

    /// The entries of the latest round, up to the first that is not whole: the power went while it
    /// was written, or it is left of an earlier round.
    static func all(in file: File) throws(FileError) -> [JournalEntry] {
        let bytes = try file.read(largest, at: 0)
        var entries: [JournalEntry] = []
        var place = 0
        while place + 4 < bytes.count {
            let length = Int(bytes.uint32(place))
            guard length > 0, length <= bytes.count - place - 4,
                let content = GzipFile.content(of: bytes[(place + 4)..<(place + 4 + length)], limit: largest),
                let entry = JournalEntry(content), entry.round == entries.first?.round ?? entry.round,
                entry.sequence == entries.count
            else { break }
            entries.append(entry)
            place += (4 + length + block - 1) & ~(block - 1)
        }
        return entries
    }

    private init?(_ content: [UInt8]) {
        guard content.count >= 8 else { return nil }
        (round, sequence) = (content.uint32(0), content.uint32(4))
        var additions: [FileAddition] = []
        var place = 8
        while place < content.count {
            guard content.count - place >= 20 else { return nil }
            let (number, offset) = (content.uint64(place), content.uint64(place + 8))
            let length = Int(content.uint32(place + 16))
            place += 20
            guard number < RecordingName.limit, offset < 1 << 48, length <= content.count - place else { return nil }
            let bytes = content[place..<(place + length)]
            additions.append(FileAddition(number: Int(number), offset: Int(offset), bytes: bytes))
            place += length
        }
        self.additions = additions
    }
}
